"""The files for a server of a course: they agree with the image, which writes into a home and into /tmp only."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
APPENDIX = ROOT / "lessons" / "appendix"
DOCKERFILE = APPENDIX / "cluster" / "Dockerfile"
IMAGE = DOCKERFILE.read_text(encoding="utf-8")
VALUES: dict[str, Any] = yaml.safe_load((APPENDIX / "course" / "zero-to-jupyterhub.yaml").read_text(encoding="utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((APPENDIX / "course" / "compose.yaml").read_text(encoding="utf-8"))


def instruction(name: str) -> str:
    """The words after the last instruction of this name in the Dockerfile."""
    return re.findall(rf"^{name} (.+)$", IMAGE, re.MULTILINE)[-1]


def test_the_image_runs_without_privileges_in_a_home_of_its_own() -> None:
    assert f"useradd --create-home --uid {instruction('USER')} rh" in IMAGE
    assert instruction("USER") != "0"
    assert instruction("WORKDIR") == "/home/rh"


def test_the_health_of_the_image_is_that_of_its_server() -> None:
    port = instruction("EXPOSE")
    assert f'"--port", "{port}"' in instruction("CMD")
    assert f"127.0.0.1:{port}/api" in IMAGE.partition("HEALTHCHECK")[2]


def test_binder_does_not_build_from_a_dockerfile() -> None:
    """Where there is a folder ``binder``, repo2docker looks nowhere else, and prefers a Dockerfile in it to all other files."""
    assert (ROOT / "binder").is_dir()
    assert not [*(ROOT / "binder").glob("Dockerfile*")]


def test_nothing_large_or_private_is_sent_to_the_builder() -> None:
    ignored = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "build"} <= {*ignored}
    needed = re.findall(r"^COPY (?!--from)(\S+)", IMAGE, re.MULTILINE)
    assert not {*needed} & {*ignored}


def test_the_server_of_compose_can_write_into_its_home_and_tmp_only() -> None:
    lab = COMPOSE["services"]["lab"]
    assert lab["read_only"] is True
    assert lab["cap_drop"] == ["ALL"]
    assert [mount.partition(":")[0] for mount in lab["tmpfs"]] == ["/tmp"]
    home, lessons = [volume.split(":")[1] for volume in lab["volumes"]]
    assert home == instruction("WORKDIR")
    assert lessons.startswith(f"{home}/")
    assert all(port.startswith("127.0.0.1:") for port in lab["ports"])
    context = (APPENDIX / "course" / lab["build"]["context"]).resolve()
    assert (context, (context / lab["build"]["dockerfile"]).resolve()) == (ROOT, DOCKERFILE)


def test_the_students_of_the_hub_have_what_the_image_needs() -> None:
    student = VALUES["singleuser"]
    assert student["storage"]["homeMountPath"] == instruction("WORKDIR")
    assert str(student["uid"]) == instruction("USER")
    (mount,), (volume,) = student["storage"]["extraVolumeMounts"], student["storage"]["extraVolumes"]
    assert (mount["name"], mount["mountPath"]) == (volume["name"], "/tmp")
    assert VALUES["hub"]["config"]["KubeSpawner"]["container_security_context"]["readOnlyRootFilesystem"] is True
    assert student["cmd"] == ["jupyterhub-singleuser"]

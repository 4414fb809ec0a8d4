from tests.display.pages import MLP, PASS
def test_probe(open_notebook):
    w = open_notebook(MLP, f"%diagram {PASS}", f"%derivation {PASS}")
    w.run_all()
    w.page.wait_for_timeout(2500)
    w.page.set_viewport_size({"width":1300,"height":1500})
    w.page.wait_for_timeout(800)
    w.page.screenshot(path="/tmp/drawings_page/lab1.png")
    print(w.errors)
    box=w.page.locator('.rh-diagram [data-box="2"]')
    print("boxes", box.count())
    if box.count():
        box.first.click(); w.page.wait_for_timeout(300)
        w.page.keyboard.press("ArrowRight"); w.page.keyboard.press("f"); w.page.wait_for_timeout(1500)
        w.page.screenshot(path="/tmp/drawings_page/lab2.png")
        with w.page.expect_download() as d: w.page.locator('.rh-diagram button[title*="diagram.tex"]').click()
        print(d.value.suggested_filename, open(d.value.path()).read()[:60])
    print(w.errors)

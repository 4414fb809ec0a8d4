// The host of a view: its opening record, questions to the kernel, and state that survives a reload.

const TIMEOUT_MS = 60000;
const GONE = "The kernel no longer knows this. Run the cell again.";
const DEAD = ["dead", "terminating", "restarting", "autorestarting"];

/** The host of a view over an anywidget model; `release` detaches it. */
export function hostOf(model, timeout = TIMEOUT_MS) {
  const waiting = new Map();
  const deathListeners = [];
  const openings = [];
  let last = 0;
  // A page that shows a saved notebook may have its widgets without a kernel. The layout of a widget is one, with a comm of its own.
  let isAlive = model.get("layout")?.comm_live !== false;

  function settle(id, how) {
    const asked = waiting.get(id);
    if (asked === undefined) return;
    waiting.delete(id);
    clearTimeout(asked.timer);
    how(asked);
  }

  function heard(message) {
    if (message === null || typeof message !== "object") return;
    settle(message.id, (asked) => {
      if (message.refused !== undefined) asked.reject(new Error(message.refused));
      else asked.resolve(message.answer);
    });
  }

  // A model gets its comm before it has a view, so a later change of the comm means that the kernel is gone.
  function die() {
    if (!isAlive) return;
    isAlive = false;
    for (const id of [...waiting.keys()]) settle(id, (asked) => asked.reject(new Error(GONE)));
    for (const listener of deathListeners) listener();
  }

  function ask(question) {
    if (!isAlive) return Promise.reject(new Error(GONE));
    last += 1;
    const id = `${last}-${Math.random().toString(36).slice(2)}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(id, (asked) => asked.reject(new Error("The kernel gave no answer."))), timeout);
      waiting.set(id, { resolve, reject, timer });
      try {
        model.send({ id, question });
      } catch {
        die();
      }
    });
  }

  function looked() {
    if (kernel.isDisposed || DEAD.includes(kernel.status)) die();
  }

  function reopened() {
    for (const callback of openings) callback(model.get("opening"));
  }

  model.on("msg:custom", heard);
  model.on("change:opening", reopened);
  model.on("comm_live_update", die);
  // JupyterLab and Notebook report the shutdown of a kernel; elsewhere it is detected by missing answers.
  const kernel = model.widget_manager?.kernel;
  kernel?.statusChanged?.connect(looked);
  kernel?.disposed?.connect(looked);

  return {
    get opening() {
      return model.get("opening");
    },
    /** Whether the view takes new opening records itself. */
    isRenewed: () => openings.length > 0,
    /** Call back with the opening record whenever the kernel has replaced it. */
    onOpening(callback) {
      openings.push(callback);
    },
    ask,
    recall(name, otherwise) {
      const kept = model.get("kept") ?? {};
      return name in kept ? kept[name] : otherwise;
    },
    keep(name, value) {
      model.set("kept", { ...model.get("kept"), [name]: value });
      try {
        if (isAlive) model.save_changes();
      } catch {
        die();
      }
    },
    alive: () => isAlive,
    onDeath(callback) {
      deathListeners.push(callback);
      if (!isAlive) callback();
    },
    release() {
      model.off("msg:custom", heard);
      model.off("change:opening", reopened);
      model.off("comm_live_update", die);
      kernel?.statusChanged?.disconnect(looked);
      kernel?.disposed?.disconnect(looked);
    },
  };
}

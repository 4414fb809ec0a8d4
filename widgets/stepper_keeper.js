// What is found again when the page is loaded anew, told to the notebook no more often than it can bear.

const KEEPER_MS = 400;

/** Keeps small values; of those that follow each other quickly only the last. */
export class StepperKeeper {
  constructor(host, pause = KEEPER_MS) {
    this.host = host;
    this.pause = pause;
    this.values = new Map();
    this.timer = null;
  }

  /** Keep a value, soon. */
  keep(name, value) {
    this.values.set(name, value);
    this.timer ??= setTimeout(() => this.now(), this.pause);
  }

  /** Keep at once what waits. */
  now() {
    clearTimeout(this.timer);
    this.timer = null;
    for (const [name, value] of this.values) this.host.keep(name, value);
    this.values.clear();
  }
}

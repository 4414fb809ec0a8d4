// State that survives a reload of the page, saved to the notebook with debouncing.

const PERSISTENCE_MS = 400;

/** Saves small values; of several in quick succession only the last. */
export class StepperPersistence {
  constructor(host, pause = PERSISTENCE_MS) {
    this.host = host;
    this.pause = pause;
    this.values = new Map();
    this.timer = null;
  }

  /** Save a value soon. */
  keep(name, value) {
    this.values.set(name, value);
    this.timer ??= setTimeout(() => this.now(), this.pause);
  }

  /** Save a pending value at once. */
  now() {
    clearTimeout(this.timer);
    this.timer = null;
    for (const [name, value] of this.values) this.host.keep(name, value);
    this.values.clear();
  }
}

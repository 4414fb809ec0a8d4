// Automatic playback.

/** Plays at `speed` steps per second; `act` has `at()`, `go(step)` and `stopped()`. */
export class StepperPlay {
  constructor(index, store, speed, act) {
    this.index = index;
    this.store = store;
    this.speed = speed;
    this.act = act;
    this.isOn = false;
    this.isOverAll = false;
    this.timer = null;
  }

  /** The number of steps to prefetch. */
  get coming() {
    return this.isOn ? Math.max(8, Math.ceil(4 * this.speed)) : 4;
  }

  /** Start; at the end of the trace, from the beginning. `isOverAll` includes hidden steps. */
  begin(isOverAll) {
    this.isOn = true;
    this.isOverAll = isOverAll;
    const at = this.act.at();
    this.act.go(this.index.move(at, 1, isOverAll) === null ? (isOverAll ? 0 : this.index.end(false)) : at);
    this.tick();
  }

  stop() {
    this.isOn = false;
    clearTimeout(this.timer);
    this.act.stopped();
  }

  /** Schedule the next step if playing. */
  tick() {
    clearTimeout(this.timer);
    if (!this.isOn) return;
    this.timer = setTimeout(() => {
      if (!this.isOn) return undefined;
      const at = this.act.at();
      const next = this.index.move(at, 1, this.isOverAll);
      if (next === null || this.store.refused !== null) return this.stop();
      // Do not skip a step that the kernel is still computing.
      if (this.store.has(at)) this.act.go(next);
      return this.tick();
    }, 1000 / this.speed);
  }

  clean() {
    this.isOn = false;
    clearTimeout(this.timer);
  }
}

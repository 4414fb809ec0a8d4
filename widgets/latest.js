// Requests of which only the latest matters: while one is under way, those after it replace one another.

/** A function that sends a value by `send`, which returns a promise; values given meanwhile are dropped but for the last. */
export function latestOnly(send, settled = () => undefined) {
  let isBusy = false;
  let waiting = null;

  async function run(value) {
    isBusy = true;
    try {
      await send(value);
    } finally {
      isBusy = false;
      if (waiting !== null) {
        const next = waiting;
        waiting = null;
        run(next.value).catch(() => undefined);
      } else {
        settled();
      }
    }
  }

  return (value) => {
    if (isBusy) waiting = { value };
    else run(value).catch(() => undefined);
  };
}

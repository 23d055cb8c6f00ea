/**
 * A worker that speaks the protocol of src/wire/messages.ts and runs the steps in the path of its task: a JSON array.
 * CommonJS for the reason given in workers/entry.cts.
 */

async function startThread(heartbeat) {
  const beat = () => Atomics.add(heartbeat, 0, 1);
  beat();
  setInterval(beat, 20);
}

async function runStream({ task, port }) {
  const credits = new Credits(port, task.credits);
  let sequence = 0;
  for (const step of JSON.parse(decodeURIComponent(task.path))) {
    if (credits.isStopped) break;
    switch (step.do) {
      case 'batch': {
        await credits.take();
        const buffer = new ArrayBuffer(step.bytes ?? 8);
        const number = step.sequence ?? sequence++;
        port.postMessage({ type: 'batch', epoch: step.epoch ?? task.epoch, sequence: number, buffer }, [
          buffer,
        ]);
        break;
      }
      case 'post':
        port.postMessage(step.message);
        break;
      case 'throw':
        throw new Error('thrown by the script');
      case 'throw later':
        setImmediate(() => {
          throw new Error('thrown outside of a task');
        });
        await forever();
        break;
      case 'exit':
        process.exit(7);
        break;
      case 'spin':
        for (;;);
      case 'fill the heap': {
        const list = [];
        for (;;) list.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
      }
      case 'close port':
        port.close();
        await forever();
        break;
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, step.ms));
        break;
      case 'until stopped':
        await credits.stopped;
        break;
    }
  }
  port.close();
}

const forever = () => new Promise(() => {});

class Credits {
  #left;
  #waiting;
  isStopped = false;
  stopped;

  constructor(port, credits) {
    this.#left = credits;
    this.stopped = new Promise((resolve) => {
      port.on('message', (message) => {
        if (message.type === 'credit') this.#left += message.batches;
        else this.isStopped = true;
        if (this.isStopped) resolve();
        this.#waiting?.();
      });
      port.on('close', resolve);
    });
  }

  async take() {
    while (this.#left === 0 && !this.isStopped) {
      await new Promise((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#left--;
  }
}

module.exports = { startThread, runStream };

const MIN_CAPACITY = 64;

/** A FIFO queue in constant time per item. Free slots are cleared, and a burst does not keep its memory. */
export class Ring<T> {
  #slots: (T | undefined)[] = new Array(MIN_CAPACITY);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  /** The newest item. */
  last(): T | undefined {
    return this.#length === 0 ? undefined : this.#slots[this.#lastSlot()];
  }

  replaceLast(item: T): void {
    this.#slots[this.#lastSlot()] = item;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    if (this.#slots.length > MIN_CAPACITY && this.#length < this.#slots.length / 8) {
      this.#resize(this.#slots.length / 2);
    }
    return item;
  }

  #lastSlot(): number {
    return (this.#head + this.#length - 1) & (this.#slots.length - 1);
  }

  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity);
    for (let i = 0; i < this.#length; i++)
      slots[i] = this.#slots[(this.#head + i) & (this.#slots.length - 1)];
    this.#slots = slots;
    this.#head = 0;
  }
}

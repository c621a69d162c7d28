// SPDX-License-Identifier: Apache-2.0
// Writes protobuf wire format: varints, and length-delimited fields. Knows no message.

/** @typedef {number | bigint} Int */

export class Writer {
  /** @param {number} [capacityBytes] first size of the buffer; it grows */
  constructor(capacityBytes = 4096) {
    this.bytes = new Uint8Array(capacityBytes);
    this.length = 0;
  }

  /** @param {number} more bytes that will be written next */
  reserve(more) {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  /** @param {Int} value a negative one is written as its 64-bit two's complement, 10 bytes */
  varint(value) {
    this.reserve(10);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
      let rest = value;
      while (rest > 127) {
        this.bytes[this.length++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      this.bytes[this.length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      this.bytes[this.length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.bytes[this.length++] = Number(rest);
  }

  /**
   * A scalar field; 0 is left out, as proto3 does.
   * @param {number} field
   * @param {Int} value
   */
  scalar(field, value) {
    if (Number(value) === 0) return;
    this.varint(field << 3);
    this.varint(value);
  }

  /**
   * @param {number} field
   * @param {Uint8Array} content
   */
  delimited(field, content) {
    this.varint((field << 3) | 2);
    this.varint(content.length);
    this.raw(content);
  }

  /**
   * @param {number} field
   * @param {readonly Int[]} values
   */
  packed(field, values) {
    if (values.length === 0) return;
    const inner = new Writer(2 * values.length + 10);
    for (const value of values) inner.varint(value);
    this.delimited(field, inner.finish());
  }

  /** @param {Uint8Array} content */
  raw(content) {
    this.reserve(content.length);
    this.bytes.set(content, this.length);
    this.length += content.length;
  }

  /** @returns {Uint8Array} a view of what was written, valid until the next write */
  finish() {
    return this.bytes.subarray(0, this.length);
  }
}

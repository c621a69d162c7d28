// SPDX-License-Identifier: Apache-2.0
// Small trees for the unit tests, written the way people say stacks.

/** @typedef {import('../../../static/api.js').Nodes} Nodes */
/** @typedef {[string, number|string, Spec[]?]} Spec name, self, children */

/**
 * @param {Spec[]} specs children of the root
 * @param {Spec[]} [base] the same shape with the base's values, for a comparison
 * @returns {{nodes: Nodes, names: string[], files: string[]}}
 */
export function nodesOf(specs, base) {
  const names = ['all'];
  /** @type {Nodes} */
  const nodes = { name: [0], file: [0], depth: [0], self: [0], total: [0] };
  if (base) Object.assign(nodes, { base_self: [0], base_total: [0] });
  /** @type {[Spec, Spec|undefined, number][]} */
  const todo = specs.map((spec, i) => /** @type {[Spec, Spec|undefined, number]} */ ([spec, base?.[i], 1])).reverse();
  while (todo.length > 0) {
    const [[name, self, children = []], twin, depth] = /** @type {[Spec, Spec|undefined, number]} */ (todo.pop());
    if (name !== '' && !names.includes(name)) names.push(name);
    nodes.name.push(name === '' ? -1 : names.indexOf(name));
    nodes.file.push(0);
    nodes.depth.push(depth);
    nodes.self.push(self);
    nodes.total.push(self);
    if (twin) {
      nodes.base_self?.push(twin[1]);
      nodes.base_total?.push(twin[1]);
    }
    for (let i = children.length - 1; i >= 0; i--) todo.push([children[i], twin?.[2]?.[i], depth + 1]);
  }
  addTotals(nodes.depth, nodes.self, nodes.total);
  if (nodes.base_self && nodes.base_total) addTotals(nodes.depth, nodes.base_self, nodes.base_total);
  return { nodes, names, files: [''] };
}

/**
 * @param {number[]} depth
 * @param {(number|string)[]} self
 * @param {(number|string)[]} total
 */
function addTotals(depth, self, total) {
  const sums = self.map((value) => BigInt(value));
  for (let i = depth.length - 1; i > 0; i--) {
    let above = i - 1;
    while (depth[above] >= depth[i]) above--;
    sums[above] += sums[i];
  }
  sums.forEach((sum, i) => {
    total[i] = Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
  });
}

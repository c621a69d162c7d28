// SPDX-License-Identifier: Apache-2.0
// The server's views over fetch. Input: selection pairs; output: the decoded answer, typed. An
// error answer becomes an ApiError with the server's stable code. Nothing is cached here.

/** @typedef {import('./exact.js').Wire} Wire */
/**
 * @typedef {object} Side One side of a selection.
 * @property {string[]} version
 * @property {number} profiles
 * @property {Wire} duration_ns
 * @property {Wire|null} work
 * @property {string|null} [work_unit]
 * @property {string|null} [from]
 * @property {string|null} [until]
 * @property {Wire} total
 * @property {Wire} unfiltered_total
 * @property {number} [without_duration] Profiles that do not say how long they ran.
 * @property {number} [without_work] Profiles without a count of work.
 */
/** @typedef {'counter'|'gauge'|'cumulative'} Kind */
/**
 * @typedef {object} View What every view answers.
 * @property {string} unit
 * @property {string} metric
 * @property {Kind} kind
 * @property {Side[]} sides The selection, then the base of a comparison.
 */
/**
 * @typedef {object} Nodes Columns in pre-order.
 * @property {number[]} name Index into names; -1: several small nodes merged.
 * @property {number[]} file
 * @property {number[]} depth
 * @property {Wire[]} self
 * @property {Wire[]} total
 * @property {Wire[]} [base_self]
 * @property {Wire[]} [base_total]
 */
/** @typedef {View & {names: string[], files: string[], nodes: Nodes,
 *   truncated?: {nodes: number, total: Wire}}} Flamegraph */
/**
 * @typedef {object} FunctionRow
 * @property {string} name
 * @property {string} file
 * @property {Wire} self
 * @property {Wire} total
 * @property {number} stacks
 * @property {Wire} [base_self]
 * @property {Wire} [base_total]
 * @property {number} [base_stacks]
 */
/** @typedef {View & {count: number, functions: FunctionRow[]}} Functions */
/** @typedef {View & {names: string[], files: string[], function: FunctionRow,
 *   callees: {nodes: Nodes}, callers: {nodes: Nodes}}} Focus */
/**
 * @typedef {object} Service
 * @property {string} name
 * @property {number} profiles
 * @property {string} first
 * @property {string} last
 * @property {{version: string, profiles: number, first: string, last: string}[]} versions
 * @property {{type: string, metrics: {name: string, unit: string, kind: Kind}[]}[]} types
 */
/** @typedef {[string, string][]} Pairs */

const ROOT = 'api/v1/';
const ALL_ROWS = '1000000'; // the server's own limit of /functions

export class ApiError extends Error {
  /**
   * @param {number} status 0: no answer at all.
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
async function errorOf(response) {
  try {
    const { error } = await response.json();
    return new ApiError(response.status, String(error.code), String(error.message));
  } catch {
    return new ApiError(response.status, `http_${response.status}`,
      `The server answered ${response.status} without an explanation.`);
  }
}

/**
 * @param {string} path
 * @param {Pairs} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function get(path, pairs, signal) {
  const query = new URLSearchParams(pairs).toString();
  let response;
  try {
    response = await fetch(ROOT + path + (query && `?${query}`), {
      signal, headers: { Accept: 'application/json' },
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'no_answer', 'The server does not answer. Is it still running?');
  }
  if (!response.ok) throw await errorOf(response);
  return response.json();
}

/**
 * @param {AbortSignal} [signal]
 * @returns {Promise<Service[]>}
 */
export async function services(signal) {
  return (await get('services', [], signal)).services;
}

/**
 * @param {Pairs} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<Flamegraph>}
 */
export function flamegraph(pairs, signal) {
  return get('flamegraph', pairs, signal);
}

/**
 * Every function of the selection.
 * @param {Pairs} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<Functions>}
 */
export function functions(pairs, signal) {
  return get('functions', [...pairs, ['limit', ALL_ROWS]], signal);
}

/**
 * @param {Pairs} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<Focus>}
 */
export function focus(pairs, signal) {
  return get('focus', pairs, signal);
}

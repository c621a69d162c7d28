// SPDX-License-Identifier: Apache-2.0
// Run from the repository's root: `npm run lint` does. One set of rules for the page (browser globals only) and for the tests (Node's globals too).
import js from '@eslint/js';
import globals from 'globals';

const rules = {
  eqeqeq: 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-eval': 'error',
  'no-implied-eval': 'error',
  'no-shadow': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  'max-lines': ['error', 400],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  // Names in profiles are hostile: text goes into the page as text, never as markup.
  'no-restricted-properties': [
    'error',
    { property: 'innerHTML', message: 'use textContent' },
    { property: 'outerHTML', message: 'use textContent' },
    { property: 'insertAdjacentHTML', message: 'use textContent' },
  ],
};

export default [
  { ignores: ['**/node_modules/**'] },
  {
    files: ['static/**/*.js'],
    ...js.configs.recommended,
    languageOptions: { ecmaVersion: 2022, sourceType: 'module', globals: globals.browser },
    rules: { ...js.configs.recommended.rules, ...rules },
  },
  {
    files: ['tests/**/*.js', 'tests/**/*.mjs'],
    ...js.configs.recommended,
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: 'module',
      globals: { ...globals.node, ...globals.browser },
    },
    rules: {
      ...js.configs.recommended.rules,
      ...rules,
      // A test body is a story told in order; its length is not a sign of trouble.
      'max-lines-per-function': 'off',
    },
  },
];

/* SPDX-License-Identifier: Apache-2.0 */
/* Which expressions pass for RE2. The verdicts are those of Go's regexp.Compile, except where PCRE2
 * refuses the expression as well ("both"), which this check may leave to it. */
#include "proto/re2_syntax.h"

#include "tests/unit/unit.h"

static void test_allowed(void **state)
{
    static const char *const allowed[] = {
        "",
        "malloc|free",
        "(?:a|b)*",
        "(?i)abc",
        "(?i:abc)",
        "(?s-m:a.b)",
        "(?P<name>a)",
        "a{2}b{2,}c{2,3}",
        "a{1000}",
        "a{,2}",
        "a{x",
        "a*?b+?c??d{2}?",
        "[]a]",
        "[^]a]",
        "[[:alpha:]_]",
        "[a\\]b]",
        "\\Q(?=\\1\\E",
        "\\Qa++",
        "\\x41\\x{10FFFF}\\012\\17",
        "\\pL\\p{Greek}\\PN",
        "\\d\\D\\s\\S\\w\\W\\b\\B\\A\\z",
        "\\a\\f\\t\\n\\r\\v",
        "\\.\\(\\)\\*\\_",
        "operator new\\[\\]",
        "[*+?{]+",
        "(a*)*",
        "\xc3\xa9+",
    };

    (void)state;
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (!re2_syntax_allows(slice_of(allowed[i])))
            fail_msg("refused: %s", allowed[i]);
}

static void test_refused(void **state)
{
    static const char *const refused[] = {
        "(?=a)b",  "(?!a)b",  "(?<=a)b", "(?<!a)b", "(?>a)",     "(?|a|b)", "(?#note)a", "(?R)",
        "(?1)",    "(?&n)",   "(?P=n)",  "(?P>n)",  "(?(1)a)",   "(?'n'a)", "(?C1)a",    "(*UTF)a",
        "(*FAIL)", "(a)\\1",  "\\8",     "\\9",     "a++",       "a*+",     "a?+",       "a{2}+",
        "a**",     "a{2}{3}", "a*??",    "a{1001}", "a{1,1001}", "\\K",     "\\R",       "\\X",
        "\\G",     "\\Z",     "\\h",     "\\H",     "\\N",       "\\e",     "\\g1",      "\\k<n>",
        "\\o{17}", "\\C",     "\\E",     "[\\b]",   "[\\Qa\\E]", "[\\K]",   "(?x)a b",   "(?J)a",
    };

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (re2_syntax_allows(slice_of(refused[i])))
            fail_msg("allowed: %s", refused[i]);
}

/* Every prefix and every single byte: the walk ends and stays inside (checked by sanitizers). */
static void test_cut_anywhere(void **state)
{
    static const char pattern[] = "(?i:a{2,3}?)[^]x[:alpha:]\\]]\\Qq\\E\\x{1}(?P<n>.)";

    (void)state;
    for (size_t size = 0; size < sizeof pattern; size++) {
        char copy[sizeof pattern]; /* exactly as long as is looked at, for the sanitizer */

        memcpy(copy, pattern, size);
        (void)re2_syntax_allows(slice_make(copy, size));
    }
    for (unsigned c = 0; c < 256; c++) {
        char byte = (char)c;

        (void)re2_syntax_allows(slice_make(&byte, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allowed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

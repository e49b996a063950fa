package report

import "github.com/a2alock/a2alock/internal/visible"

// Line returns s as one line that is safe to print anywhere: controls, bidi
// marks, odd spaces and other characters that cannot be seen appear as
// <U+200B>, bytes that are no UTF-8 as <0xFF>, a line break as ⏎. Joiners and
// variation selectors stay where scripts and emoji need them: behind a
// character that is not ASCII.
//
// What a CI system would take for a command is broken up: "::" at the start
// (GitHub Actions, which skips spaces before it) and "##[", "##vso[" and their
// like anywhere (older forms, Azure Pipelines, TeamCity). Line(Line(s)) is
// Line(s).
func Line(s string) string { return visible.Line(s) }

// Excerpt returns the [Line] of s, shortened to about n characters when it is
// longer, and then says how many are left out.
func Excerpt(s string, n int) string { return cut(Line(s), n) }

// cut shortens a [Line], and says how many characters it left out.
func cut(s string, n int) string { return visible.Cut(s, n) }

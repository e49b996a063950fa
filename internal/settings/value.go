package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/duration"
)

// The readers below make the Read of a [Key]. The checks they are given never
// quote what they were handed, which may have come from a variable.

// Text reads a text. One that check refuses is a doubt.
func Text(dst *string, check func(string) error) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			*dst = s
			if err := check(s); err != nil {
				d.Doubt(v, "%s: %v", v.Text(), err)
			}
			return nil
		})
	}
}

// Texts reads a list of texts, each of them once.
func Texts(dst *[]string, check func(string) error) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		*dst = List(d, v, func(v Value, s *string) { Text(s, check)(d, v) })
		Unique(d, v, *dst)
	}
}

// Pairs reads a mapping of texts.
func Pairs(dst *map[string]string, isKey, isValue func(string) error) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		*dst = map[string]string{}
		d.Entries(v, func(name string, k, v Value) {
			if err := isKey(name); err != nil {
				d.Doubt(k, "%s: %v", Short(name), err)
			}
			d.Set(v, func(s string) error {
				(*dst)[name] = s
				return isValue(s)
			})
		})
	}
}

// Unique reports entries of a list that repeat an earlier one. Empty ones have
// been reported already, and of those with a variable that is not set nobody
// knows.
func Unique[T comparable](d *Decoder, v Value, entries []T) {
	var zero T
	first := make(map[T]int, len(entries))
	for i, e := range entries {
		if at, ok := first[e]; ok && e != zero {
			if again := v.Entry(i); d.IsSet(again.Pointer) {
				d.Doubt(again, "repeats entry %d", at)
			}
			continue
		}
		first[e] = i + 1
	}
}

// Flag reads true or false.
func Flag(dst *bool) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			*dst = strings.EqualFold(s, "true")
			if !*dst && !strings.EqualFold(s, "false") {
				return errors.New("want true or false")
			}
			return nil
		})
	}
}

// Count reads a whole number from 1 to most.
func Count(dst *int, most int) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("want a whole number from 1 to %d", most)
			}
			*dst = n
			return nil
		})
	}
}

// Size reads a number of bytes, least or more; 0, where it may be, is off.
func Size(dst *int64, least int64) func(*Decoder, Value) {
	wish := "want a size over 0, such as 1MiB, 512KiB or 65536"
	if least == 0 {
		wish += ", or off"
	}
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			if least == 0 && s == "off" {
				s = "0"
			}
			n, ok := parseSize(s)
			if !ok || n < least {
				return errors.New(wish)
			}
			*dst = n
			return nil
		})
	}
}

// Span reads a duration over 0. Where it can be none, word is 0: a plain 0
// could as well mean that everything is too old.
func Span(dst *time.Duration, word string) func(*Decoder, Value) {
	wish := "want a duration over 0, such as 90d, 36h or 10s"
	if word != "" {
		wish += ", or " + word
	}
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			if word != "" && s == word {
				*dst = 0
				return nil
			}
			t, err := duration.Parse(s)
			if err != nil || t <= 0 {
				return errors.New(wish)
			}
			*dst = t
			return nil
		})
	}
}

// Pause reads a duration that may be 0, which becomes none: -1 where the zero
// value leaves it to what is more general.
func Pause(dst *time.Duration, none time.Duration) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			t, err := duration.Parse(s)
			if err != nil || t < 0 {
				return errors.New("want a duration such as 90d, 36h or 10s, or 0")
			}
			*dst = cmp.Or(t, none)
			return nil
		})
	}
}

// Rate reads a number a second; 0 is no limit.
func Rate(dst *float64) func(*Decoder, Value) {
	return func(d *Decoder, v Value) {
		d.Set(v, func(s string) error {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil || !(n >= 0 && n <= 1e6) { // no NaN either
				return errors.New("want a number from 0 to 1000000 a second; 0 is no limit")
			}
			*dst = n
			return nil
		})
	}
}

// parseSize reads a number of bytes, plain or in KiB, MiB or GiB: "65536",
// "512KiB", "1 MiB".
func parseSize(s string) (bytes int64, ok bool) {
	number, shift := s, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			number, shift = strings.TrimSuffix(n, " "), 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	return int64(n) << shift, err == nil && n <= math.MaxInt64>>shift
}

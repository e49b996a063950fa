package config

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/duration"
)

// The readers below make the read of a [key]. The checks they are given
// (package want) never quote what they were handed, which may have come from a
// variable.

func text(dst *string, check func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			*dst = s
			return check(s)
		})
	}
}

func texts(dst *[]string, check func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		*dst = list(d, v, func(v value, s *string) { text(s, check)(d, v) })
		unique(d, v, *dst)
	}
}

func pairs(dst *map[string]string, isKey, isValue func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		*dst = map[string]string{}
		d.entries(v, func(name string, k, v value) {
			if err := isKey(name); err != nil {
				d.fail(k, "%s: %v", short(name), err)
			}
			d.set(v, func(s string) error {
				(*dst)[name] = s
				return isValue(s)
			})
		})
	}
}

func flag(dst *bool) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			*dst = strings.EqualFold(s, "true")
			if !*dst && !strings.EqualFold(s, "false") {
				return errors.New("want true or false")
			}
			return nil
		})
	}
}

func count(dst *int, most int) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("want a whole number from 1 to %d", most)
			}
			*dst = n
			return nil
		})
	}
}

// size reads a number of bytes, least or more; 0, where it may be, is off.
func size(dst *int64, least int64) func(*decoder, value) {
	wish := "want a size over 0, such as 1MiB, 512KiB or 65536"
	if least == 0 {
		wish += ", or off"
	}
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
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

// span reads a duration over 0. Where it can be none, word is 0: a plain 0
// could as well mean that everything is too old.
func span(dst *time.Duration, word string) func(*decoder, value) {
	wish := "want a duration over 0, such as 90d, 36h or 10s"
	if word != "" {
		wish += ", or " + word
	}
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
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

// pause reads a duration that may be 0, which becomes none: -1 where the zero
// value leaves it to what is more general.
func pause(dst *time.Duration, none time.Duration) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			t, err := duration.Parse(s)
			if err != nil || t < 0 {
				return errors.New("want a duration such as 90d, 36h or 10s, or 0")
			}
			*dst = cmp.Or(t, none)
			return nil
		})
	}
}

// rate reads a number a second; 0 is no limit.
func rate(dst *float64) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			n, err := strconv.ParseFloat(s, 64)
			if err != nil || !(n >= 0 && n <= 1e6) { // no NaN either
				return errors.New("want a number from 0 to 1000000 a second; 0 is no limit")
			}
			*dst = n
			return nil
		})
	}
}

// strength reads a credential's kind.
func strength(s string) (compile.Strength, error) {
	k, err := compile.ParseStrength(s)
	if err != nil {
		return 0, errors.New("want mutual-tls, oauth2, bearer, api-key, basic or anonymous")
	}
	return k, nil
}

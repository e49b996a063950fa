package diff

import "fmt"

var classNames = [...]string{Compatible: "compatible", Review: "review", Breaking: "breaking"}

// String returns "compatible", "review" or "breaking".
func (c Class) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classNames[c]
}

// ParseClass reads what [Class.String] writes.
func ParseClass(s string) (Class, error) {
	for c, name := range classNames {
		if s == name {
			return Class(c), nil
		}
	}
	return Compatible, fmt.Errorf("class %q: want compatible, review or breaking", s)
}

// MarshalText implements [encoding.TextMarshaler].
func (c Class) MarshalText() ([]byte, error) {
	if c < 0 || int(c) >= len(classNames) {
		return nil, fmt.Errorf("class %d: there is none", int(c))
	}
	return []byte(classNames[c]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Class) UnmarshalText(text []byte) error {
	parsed, err := ParseClass(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}

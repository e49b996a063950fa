package packed

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// deflated begins a record whose JSON is compressed; JSON never begins so.
const deflated = 0x01

// small is up to which size compression is not worth its while.
const small = 256

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // a level that does not exist
	}
	return w
}}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// inflate is what follows deflated, whole.
func inflate(data []byte) ([]byte, error) {
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(data), nil); err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, 4*len(data)))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// Encode is v as a record: JSON, compressed where that is worth its while.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	plain := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(plain) < small {
		return plain, nil
	}
	var z bytes.Buffer
	z.WriteByte(deflated)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&z)
	w.Write(plain) // to memory
	w.Close()
	if z.Len() >= len(plain) {
		return plain, nil
	}
	return z.Bytes(), nil
}

// Decode reads what Encode wrote.
func Decode(data []byte, v any) error {
	if len(data) == 0 {
		return ErrShort
	}
	if data[0] == deflated {
		plain, err := inflate(data[1:])
		if err != nil {
			return err
		}
		data = plain
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // what findings hold keeps every digit
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows it")
	}
	return nil
}

// Printable is key as a person may read it.
func Printable(key []byte) string {
	for _, c := range key {
		if c < 0x20 || c > 0x7E {
			return hex.EncodeToString(key)
		}
	}
	return string(key)
}

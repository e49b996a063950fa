package boltfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The format of bbolt, in the order of bytes of the machine.
const (
	headerSize  = 16 // of a page: id, flags, count, overflow
	elementSize = 16
	metaSize    = 64
	minPageSize = 1024
	maxPageSize = 1 << 24
	maxDepth    = 64

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	bucketLeaf = 0x01 // the flag of a leaf's element that is a bucket
)

var order = binary.NativeEndian

// A meta is what the walk needs of a meta page.
type meta struct {
	pageSize              int64
	root, freelist, pages uint64
	txid                  uint64
}

// parseMeta reads a meta page.
func parseMeta(page []byte) (meta, bool) {
	if len(page) < headerSize+metaSize {
		return meta{}, false
	}
	b := page[headerSize : headerSize+metaSize]
	sum := fnv.New64a()
	sum.Write(b[:56])
	if order.Uint32(b) != boltMagic || order.Uint32(b[4:]) != boltVersion || order.Uint64(b[56:]) != sum.Sum64() {
		return meta{}, false
	}
	m := meta{
		pageSize: int64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]), freelist: order.Uint64(b[32:]), pages: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	// One is always as large as a power of two, so that the second meta is found.
	return m, m.pageSize >= minPageSize && m.pageSize <= maxPageSize && m.pageSize&(m.pageSize-1) == 0
}

// readMeta finds the meta page that bbolt goes by: of the two the later one that
// is whole. Both is whether the other is whole, too.
func readMeta(r io.ReaderAt) (m meta, both bool, err error) {
	at := func(pos int64) (meta, bool) {
		var b [headerSize + metaSize]byte
		n, _ := r.ReadAt(b[:], pos)
		return parseMeta(b[:n])
	}
	first, ok := at(0)
	if ok {
		second, both := at(first.pageSize)
		if both && second.txid > first.txid && second.pageSize == first.pageSize {
			return second, true, nil
		}
		return first, both, nil
	}
	for pos := int64(minPageSize); pos <= maxPageSize; pos <<= 1 {
		if second, ok := at(pos); ok && second.pageSize == pos {
			return second, false, nil
		}
	}
	return meta{}, false, errors.New("no bbolt file")
}

// A walker follows every page that a file's meta leads to.
type walker struct {
	r    io.ReaderAt
	meta meta
	seen []bool // by page
}

// verify walks the file. Nothing that bbolt follows afterwards leads out of it,
// twice to one place, or to a page of another kind.
func verify(path string, file *os.File) (Usage, error) {
	info, err := file.Stat()
	if err != nil {
		return Usage{}, err
	}
	size := info.Size()
	if size == 0 {
		return Usage{}, nil
	}
	damaged := func(err error) (Usage, error) {
		var io *os.PathError
		if errors.As(err, &io) { // a disk that cannot be read is no reason to begin anew
			return Usage{}, fmt.Errorf("reading %s: %w", path, err)
		}
		return Usage{}, &DamageError{Path: path, Reason: err.Error()}
	}
	m, both, err := readMeta(file)
	if err != nil {
		return damaged(err)
	}
	if pages := uint64(size / m.pageSize); m.pages > pages {
		return damaged(fmt.Errorf("cut off: %d of %d pages are there", pages, m.pages))
	} else if m.pages < 4 {
		return damaged(fmt.Errorf("%d pages, want 4 at least", m.pages))
	}
	w := walker{r: file, meta: m, seen: make([]bool, m.pages)}
	w.seen[0], w.seen[1] = true, true // the metas
	if err := w.tree(m.root, bounds{}, 0); err != nil {
		return damaged(err)
	}
	free, err := w.freelist()
	if err != nil {
		return damaged(err)
	}
	return Usage{Size: size, Free: int64(free) * m.pageSize, OneHead: !both}, nil
}

// page reads a page with those that it runs on into, and marks them as seen.
func (w *walker) page(id uint64) ([]byte, error) {
	if id < 2 || id >= w.meta.pages {
		return nil, fmt.Errorf("page %d: there are %d", id, w.meta.pages)
	}
	b := make([]byte, w.meta.pageSize)
	if _, err := w.r.ReadAt(b, int64(id)*w.meta.pageSize); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if got := order.Uint64(b); got != id {
		return nil, fmt.Errorf("page %d says that it is page %d", id, got)
	}
	more := uint64(order.Uint32(b[12:]))
	if more >= w.meta.pages-id {
		return nil, fmt.Errorf("page %d runs on for %d pages: there are %d", id, more, w.meta.pages)
	}
	for i := id; i <= id+more; i++ {
		if err := w.claim(i); err != nil {
			return nil, err
		}
	}
	if more > 0 {
		rest := make([]byte, int64(more)*w.meta.pageSize)
		if _, err := w.r.ReadAt(rest, int64(id+1)*w.meta.pageSize); err != nil {
			return nil, fmt.Errorf("page %d: %w", id, err)
		}
		b = append(b, rest...)
	}
	return b, nil
}

func (w *walker) claim(id uint64) error {
	if w.seen[id] {
		return fmt.Errorf("page %d is used twice", id)
	}
	w.seen[id] = true
	return nil
}

// bounds are between which keys those of a page must lie: from low on, before
// high, where not nil.
type bounds struct{ low, high []byte }

// An element is one entry of a branch or leaf page.
type element struct {
	flags      uint32
	key, value []byte
	child      uint64 // of a branch
}

// tree walks the page and what is below it.
func (w *walker) tree(id uint64, in bounds, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("page %d: over %d deep", id, maxDepth)
	}
	b, err := w.page(id)
	if err != nil {
		return err
	}
	list, err := elements(b, in)
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	for i, e := range list {
		switch {
		case order.Uint16(b[8:]) == branchPage:
			below := bounds{low: e.key, high: in.high}
			if i+1 < len(list) {
				below.high = list[i+1].key
			}
			err = w.tree(e.child, below, depth+1)
		case e.flags&bucketLeaf != 0:
			err = w.bucket(e, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket walks a bucket, whose value is its root page and a sequence, and the
// page itself where it is small.
func (w *walker) bucket(e element, depth int) error {
	if len(e.value) < headerSize {
		return fmt.Errorf("bucket %q: cut off", e.key)
	}
	if root := order.Uint64(e.value); root != 0 {
		return w.tree(root, bounds{}, depth+1)
	}
	page := e.value[headerSize:]
	if len(page) < headerSize || order.Uint16(page[8:]) != leafPage {
		return fmt.Errorf("bucket %q: no leaf", e.key)
	}
	list, err := elements(page, bounds{})
	if err != nil {
		return fmt.Errorf("bucket %q: %w", e.key, err)
	}
	for _, e := range list {
		if e.flags&bucketLeaf != 0 {
			return fmt.Errorf("bucket %q: inside a bucket within a page", e.key)
		}
	}
	return nil
}

// elements reads the entries of a branch or leaf page, which must lie inside it
// and in order.
func elements(b []byte, in bounds) ([]element, error) {
	flags, count := order.Uint16(b[8:]), int(order.Uint16(b[10:]))
	switch {
	case flags != branchPage && flags != leafPage:
		return nil, fmt.Errorf("neither branch nor leaf (flags %#x)", flags)
	case flags == branchPage && count == 0:
		return nil, errors.New("a branch that leads nowhere")
	case headerSize+count*elementSize > len(b):
		return nil, fmt.Errorf("%d entries do not fit", count)
	}
	list := make([]element, count)
	for i := range list {
		start := headerSize + i*elementSize
		h := b[start : start+elementSize]
		e, pos, keySize, valueSize := &list[i], order.Uint32(h[4:]), order.Uint32(h[8:]), order.Uint32(h[12:])
		if flags == branchPage {
			pos, keySize, valueSize = order.Uint32(h), order.Uint32(h[4:]), 0
			e.child = order.Uint64(h[8:])
		} else {
			e.flags = order.Uint32(h)
		}
		from := uint64(start) + uint64(pos)
		middle := from + uint64(keySize)
		end := middle + uint64(valueSize)
		if pos < elementSize || end > uint64(len(b)) {
			return nil, fmt.Errorf("entry %d lies outside", i)
		}
		e.key, e.value = b[from:middle:middle], b[middle:end:end]
		if i > 0 && bytes.Compare(list[i-1].key, e.key) >= 0 ||
			bytes.Compare(e.key, in.low) < 0 || in.high != nil && bytes.Compare(e.key, in.high) >= 0 {
			return nil, fmt.Errorf("entry %d is out of order", i)
		}
	}
	return list, nil
}

// freelist reads the list of free pages, and how many there are. bbolt can do
// without one; a2alock never wrote such a file.
func (w *walker) freelist() (int, error) {
	b, err := w.page(w.meta.freelist)
	if err != nil {
		return 0, fmt.Errorf("list of free pages: %w", err)
	}
	if flags := order.Uint16(b[8:]); flags != freelistPage {
		return 0, fmt.Errorf("page %d is no list of free pages (flags %#x)", w.meta.freelist, flags)
	}
	count, ids := uint64(order.Uint16(b[10:])), b[headerSize:]
	if count == 0xFFFF { // too many to be counted in the header
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return 0, fmt.Errorf("list of free pages: %d do not fit", count)
	}
	for i := range count {
		id := order.Uint64(ids[8*i:])
		if id < 2 || id >= w.meta.pages {
			return 0, fmt.Errorf("list of free pages: page %d: there are %d", id, w.meta.pages)
		}
		if err := w.claim(id); err != nil {
			return 0, err
		}
	}
	return int(count), nil
}

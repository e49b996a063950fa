package schedule

import "container/heap"

// An order holds values by their ids, each once, and has the first of them at
// hand. The zero order is empty. Adding, moving and taking one out cost O(log n).
type order[T interface{ Before(T) bool }] struct {
	heap ranks[T]
	byID map[string]*ranked[T]
}

// A ranked value knows where in the heap it is.
type ranked[T any] struct {
	id    string
	value T
	index int
}

// put puts the value in under id, in place of the one that is there.
func (o *order[T]) put(id string, value T) {
	if r, ok := o.byID[id]; ok {
		r.value = value
		heap.Fix(&o.heap, r.index)
		return
	}
	if o.byID == nil {
		o.byID = map[string]*ranked[T]{}
	}
	r := &ranked[T]{id: id, value: value}
	o.byID[id] = r
	heap.Push(&o.heap, r)
}

// remove takes out what is there under id, and reports whether anything was.
func (o *order[T]) remove(id string) bool {
	r, ok := o.byID[id]
	if ok {
		heap.Remove(&o.heap, r.index)
		delete(o.byID, id)
	}
	return ok
}

// first is the value before all others, and its id; false where there is none.
func (o *order[T]) first() (id string, value T, ok bool) {
	if len(o.heap) == 0 {
		return "", value, false
	}
	return o.heap[0].id, o.heap[0].value, true
}

func (o *order[T]) len() int { return len(o.heap) }

// ranks are the heap of an order.
type ranks[T interface{ Before(T) bool }] []*ranked[T]

func (h ranks[T]) Len() int { return len(h) }

func (h ranks[T]) Less(i, j int) bool { return h[i].value.Before(h[j].value) }

func (h ranks[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *ranks[T]) Push(x any) {
	r := x.(*ranked[T])
	r.index = len(*h)
	*h = append(*h, r)
}

func (h *ranks[T]) Pop() any {
	old := *h
	last := len(old) - 1
	r := old[last]
	old[last] = nil
	*h = old[:last]
	return r
}

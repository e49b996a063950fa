package schedule

import (
	"cmp"
	"container/heap"
	"time"
)

// A Queue holds agents by when they are due, each once. The zero value is empty
// and ready to use. Adding, moving and taking one out cost O(log n). It is not
// safe for concurrent use.
type Queue struct {
	heap queueHeap
	byID map[string]*waiting
}

type waiting struct {
	id    string
	due   time.Time
	index int // in the heap
}

// Len is how many agents wait.
func (q *Queue) Len() int { return len(q.heap) }

// Push puts the agent id in, or moves it when it is there, to be due at due.
func (q *Queue) Push(id string, due time.Time) {
	if w, ok := q.byID[id]; ok {
		w.due = due
		heap.Fix(&q.heap, w.index)
		return
	}
	if q.byID == nil {
		q.byID = map[string]*waiting{}
	}
	w := &waiting{id: id, due: due}
	q.byID[id] = w
	heap.Push(&q.heap, w)
}

// Remove takes the agent id out, and reports whether it was there.
func (q *Queue) Remove(id string) bool {
	w, ok := q.byID[id]
	if ok {
		heap.Remove(&q.heap, w.index)
		delete(q.byID, id)
	}
	return ok
}

// Due is when the agent id is due; false when it does not wait.
func (q *Queue) Due(id string) (time.Time, bool) {
	w, ok := q.byID[id]
	if !ok {
		return time.Time{}, false
	}
	return w.due, true
}

// Peek is the agent that is due first, and when; false when none waits.
func (q *Queue) Peek() (id string, due time.Time, ok bool) {
	if len(q.heap) == 0 {
		return "", time.Time{}, false
	}
	return q.heap[0].id, q.heap[0].due, true
}

// Pop takes out the agent that is due first, if it is due at or before now.
// Agents that are due at the same moment come in the order of their ids.
func (q *Queue) Pop(now time.Time) (id string, due time.Time, ok bool) {
	id, due, ok = q.Peek()
	if !ok || due.After(now) {
		return "", time.Time{}, false
	}
	q.Remove(id)
	return id, due, true
}

type queueHeap []*waiting

func (h queueHeap) Len() int { return len(h) }

func (h queueHeap) Less(i, j int) bool {
	return cmp.Or(h[i].due.Compare(h[j].due), cmp.Compare(h[i].id, h[j].id)) < 0
}

func (h queueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *queueHeap) Push(x any) {
	w := x.(*waiting)
	w.index = len(*h)
	*h = append(*h, w)
}

func (h *queueHeap) Pop() any {
	old := *h
	last := len(old) - 1
	w := old[last]
	old[last] = nil
	*h = old[:last]
	return w
}

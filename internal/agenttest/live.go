package agenttest

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
)

// live hands each call to an SDK handler that checks the capabilities of the
// moment. The SDK fixes them when a handler is made, so a new card means a new
// handler; tasks outlive it.
type live struct {
	now   atomic.Pointer[a2asrv.RequestHandler]
	tasks *taskstore.InMemory
	push  *push.InMemoryPushConfigStore
}

func newLive() *live {
	l := &live{tasks: taskstore.NewInMemory(nil), push: push.NewInMemoryStore()}
	l.enforce(a2a.AgentCapabilities{})
	return l
}

func (l *live) enforce(caps a2a.AgentCapabilities) {
	h := a2asrv.NewHandler(pricing{},
		a2asrv.WithCapabilityChecks(&caps),
		a2asrv.WithTaskStore(l.tasks),
		a2asrv.WithPushNotifications(l.push, push.NewHTTPPushSender(nil)))
	l.now.Store(&h)
}

func (l *live) handler() a2asrv.RequestHandler { return *l.now.Load() }

func (l *live) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return l.handler().GetTask(ctx, r)
}

func (l *live) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return l.handler().ListTasks(ctx, r)
}

func (l *live) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return l.handler().CancelTask(ctx, r)
}

func (l *live) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return l.handler().SendMessage(ctx, r)
}

func (l *live) SendStreamingMessage(ctx context.Context, r *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return l.handler().SendStreamingMessage(ctx, r)
}

func (l *live) SubscribeToTask(ctx context.Context, r *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return l.handler().SubscribeToTask(ctx, r)
}

func (l *live) GetTaskPushConfig(ctx context.Context, r *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return l.handler().GetTaskPushConfig(ctx, r)
}

func (l *live) ListTaskPushConfigs(ctx context.Context, r *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return l.handler().ListTaskPushConfigs(ctx, r)
}

func (l *live) CreateTaskPushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return l.handler().CreateTaskPushConfig(ctx, r)
}

func (l *live) DeleteTaskPushConfig(ctx context.Context, r *a2a.DeleteTaskPushConfigRequest) error {
	return l.handler().DeleteTaskPushConfig(ctx, r)
}

func (l *live) GetExtendedAgentCard(ctx context.Context, r *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return l.handler().GetExtendedAgentCard(ctx, r)
}

// pricing is the work behind the travel card: every trip costs the same.
type pricing struct{}

func (pricing) Execute(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
			return
		}
		quote := a2a.NewDataPart(map[string]any{"currency": "EUR", "total": 412.5})
		for _, event := range []a2a.Event{
			a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, nil),
			a2a.NewArtifactEvent(ec, quote),
			a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil),
		} {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (pricing) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

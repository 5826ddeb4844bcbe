package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

type apiCall func(ctx context.Context, c *apiConn, args, reply any) error

// apiCalls maps the methods of keyauth and the router to calls of the dashboard's API.
var apiCalls = map[string]apiCall{
	keyauthv1.AccountService_GetAccount_FullMethodName:    adaptCall(getAccount),
	keyauthv1.AccountService_UpdateAccount_FullMethodName: adaptCall(updateAccount),
	keyauthv1.AccountService_ListKeys_FullMethodName:      adaptCall(listKeys),
	keyauthv1.AccountService_CreateKey_FullMethodName:     adaptCall(createKey),
	keyauthv1.AccountService_UpdateKey_FullMethodName:     adaptCall(updateKey),
	keyauthv1.AccountService_RotateKey_FullMethodName:     adaptCall(rotateKey),
	keyauthv1.AccountService_RevokeKey_FullMethodName:     adaptCall(revokeKey),

	routerv1.PolicyService_Validate_FullMethodName: adaptCall(validatePolicy),
	routerv1.PolicyService_Publish_FullMethodName:  adaptCall(publishPolicy),
	routerv1.PolicyService_Rollback_FullMethodName: adaptCall(rollbackPolicy),
	routerv1.PolicyService_List_FullMethodName:     adaptCall(listPolicies),
	routerv1.PolicyService_Get_FullMethodName:      adaptCall(getPolicy),
}

// adaptCall gives a call of known types the form of apiCalls.
func adaptCall[Q, A proto.Message](f func(context.Context, *apiConn, Q) (A, error)) apiCall {
	return func(ctx context.Context, c *apiConn, args, reply any) error {
		q, known := args.(Q)
		into, message := reply.(proto.Message)
		if !known || !message {
			return fmt.Errorf("unexpected types %T and %T", args, reply)
		}
		a, err := f(ctx, c, q)
		if err == nil {
			proto.Merge(into, a)
		}
		return err
	}
}

// decodePolicy decodes the JSON of the router's messages. Its fields have the names of the
// messages.
func decodePolicy(raw json.RawMessage, into proto.Message) error {
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(raw, into)
}

func validatePolicy(ctx context.Context, c *apiConn, q *routerv1.ValidateRequest) (*routerv1.ValidateResponse, error) {
	var raw json.RawMessage
	if err := c.call(ctx, http.MethodPost, "/policy/validate", map[string]string{"document": q.GetDocument()}, &raw); err != nil {
		return nil, err
	}
	a := &routerv1.ValidateResponse{}
	return a, decodePolicy(raw, a)
}

func publishPolicy(ctx context.Context, c *apiConn, q *routerv1.PublishRequest) (*routerv1.PublishResponse, error) {
	a := &routerv1.PublishResponse{Version: &routerv1.PolicyVersion{}}
	body := map[string]string{"document": q.GetDocument(), "expected_version": q.GetExpectedVersion(), "note": q.GetNote()}
	return a, c.changePolicy(ctx, "/policy/publish", body, a.Version)
}

func rollbackPolicy(ctx context.Context, c *apiConn, q *routerv1.RollbackRequest) (*routerv1.RollbackResponse, error) {
	a := &routerv1.RollbackResponse{Version: &routerv1.PolicyVersion{}}
	return a, c.changePolicy(ctx, "/policy/rollback", map[string]string{"version": q.GetVersion(), "note": q.GetNote()}, a.Version)
}

func (c *apiConn) changePolicy(ctx context.Context, path string, body map[string]string, into *routerv1.PolicyVersion) error {
	var raw json.RawMessage
	if err := c.call(ctx, http.MethodPost, path, body, &raw); err != nil {
		return err
	}
	return decodePolicy(raw, into)
}

func listPolicies(ctx context.Context, c *apiConn, q *routerv1.ListRequest) (*routerv1.ListResponse, error) {
	var page struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/policy/versions?limit=%d", q.GetLimit()), nil, &page); err != nil {
		return nil, err
	}
	a := &routerv1.ListResponse{}
	for _, raw := range page.Items {
		v := &routerv1.PolicyVersion{}
		if err := decodePolicy(raw, v); err != nil {
			return nil, err
		}
		a.Versions = append(a.Versions, v)
	}
	return a, nil
}

func getPolicy(ctx context.Context, c *apiConn, q *routerv1.GetRequest) (*routerv1.GetResponse, error) {
	var raw json.RawMessage
	path := "/policy"
	if q.GetVersion() != "" {
		path += "?version=" + q.GetVersion()
	}
	if err := c.call(ctx, http.MethodGet, path, nil, &raw); err != nil {
		return nil, err
	}
	a := &routerv1.GetResponse{}
	return a, decodePolicy(raw, a)
}

// Command client is go-oidc as a client of OAuth and OpenID, which knows the issuer and its own id alone. It prints the address for
// the browser, reads where the browser ended, and prints what it has learnt as one line of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	issuer, clientID, redirectURL := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	must(err)
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	config := oauth2.Config{
		ClientID:    clientID,
		Endpoint:    endpoint,
		RedirectURL: redirectURL,
		Scopes:      []string{oidc.ScopeOpenID, "email", oidc.ScopeOfflineAccess, "webhooks:read"},
	}
	verifier, state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce)))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	callback, err := url.Parse(strings.TrimSpace(line))
	must(err)
	if callback.Query().Get("state") != state || callback.Query().Get("iss") != issuer {
		log.Fatal("another state or issuer")
	}
	token, err := config.Exchange(ctx, callback.Query().Get("code"), oauth2.VerifierOption(verifier))
	must(err)
	verify := func(token *oauth2.Token) *oidc.IDToken {
		raw, ok := token.Extra("id_token").(string)
		if !ok {
			log.Fatal("no ID token")
		}
		idToken, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, raw)
		must(err)
		return idToken
	}
	idToken := verify(token)
	if idToken.Nonce != nonce {
		log.Fatal("another nonce")
	}
	var claims struct {
		Email        string `json:"email"`
		Organization string `json:"org_id"`
	}
	must(idToken.Claims(&claims))
	renewed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	must(err)
	told, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(renewed))
	must(err)
	// The access token, as a service that is told the issuer alone verifies it.
	access, err := provider.Verifier(&oidc.Config{ClientID: issuer}).Verify(ctx, renewed.AccessToken)
	must(err)
	answer, err := oauth2.NewClient(ctx, oauth2.StaticTokenSource(renewed)).Get(issuer + "/v1/webhooks")
	must(err)
	defer answer.Body.Close()
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"sub":          idToken.Subject,
		"email":        claims.Email,
		"organization": claims.Organization,
		"again":        verify(renewed).Subject,
		"told":         map[string]string{"sub": told.Subject, "email": told.Email},
		"isRenewed":    renewed.AccessToken != token.AccessToken,
		"access":       access.Subject,
		"status":       answer.StatusCode,
	}))
}

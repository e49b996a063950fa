// An agent of the official JavaScript SDK that shows each partner an extended
// card of its own. TOKENS is JSON: each token with the id of the one skill that
// its bearer is shown. It prints its address once it listens, and ends with its
// standard input.
import express from 'express';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';

const tokens = JSON.parse(process.env.TOKENS);
const binding = process.env.BINDING;
const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  serve(url);
  console.log(url);
});

function card(url, skill) {
  return {
    name: 'Partners', description: 'Shows each partner what it may use.', version: '1.0.0',
    supportedInterfaces: [{
      url: url + (binding === 'JSONRPC' ? '/rpc' : '/rest'), protocolBinding: binding, protocolVersion: '1.0', tenant: '',
    }],
    capabilities: { extendedAgentCard: true, extensions: [] },
    securitySchemes: {}, securityRequirements: [], signatures: [],
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{
      id: skill, name: skill, description: `Does ${skill}.`, tags: ['test'],
      examples: [], inputModes: [], outputModes: [], securityRequirements: [],
    }],
  };
}

function serve(url) {
  const handler = new DefaultRequestHandler(
    card(url, 'public'), new InMemoryTaskStore(), { execute: async () => {}, cancelTask: async () => {} },
    undefined, undefined, undefined,
    async (context) => card(url, context.user.userName),
  );
  const userBuilder = async (req) => ({ isAuthenticated: true, userName: skillOf(req) });
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }));
  // Who calls is a middleware's to find out: the SDK's own handlers let in all.
  app.use(['/rpc', '/rest'], (req, res, next) => (skillOf(req) ? next() : res.status(401).end()));
  app.use('/rpc', jsonRpcHandler({ requestHandler: handler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler: handler, userBuilder }));
}

function skillOf(req) {
  return tokens[(req.headers.authorization ?? '').replace(/^Bearer /, '')];
}

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

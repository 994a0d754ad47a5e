/**
 * Answers of `/chat/completions` as the servers write them that call themselves compatible. The forms are those of their
 * documents and sources, which each names; the words are ours.
 */
export interface Dialect {
  /** Its server, and its peculiarity. */
  name: string
  /** Where its form is written down. */
  source: string
  /** The row of the table of meanings that it is to be read by. */
  row: string
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string
  /** Whether the connection is cut after it. */
  isCut?: boolean
  /** What the step of the model is to say. */
  step: {
    status: 'succeeded' | 'failed'
    reason?: string
    finishReason?: string
    text?: string
    calls?: [name: string, text: string][]
    providerMessage?: string
  }
  /** Whether the model is asked again by itself. */
  isAskedAgain?: boolean
}

const sse = (...chunks: unknown[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
const DONE = 'data: [DONE]\n\n'
const USAGE = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 }

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'small' }
const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...more }],
})
const ended = (usage: object = USAGE) => ({ ...head, choices: [], usage })

const TEXT = 'any other end'
const OPENAI = 'OpenAI, API reference, "Chat: the chat completion chunk object"'
const AZURE = 'Microsoft Learn, "Content filtering" of Azure OpenAI; AbanteAI/archive-old-cli-mentat#429'
const VLLM = 'vllm-project/vllm, vllm/entrypoints/openai/chat_completion/serving.py and protocol.py'
const SGLANG = 'sgl-project/sglang, python/sglang/srt/entrypoints/openai/serving_chat.py and serving_base.py'
const OLLAMA = 'ollama/ollama, openai/openai.go (toChunk, ToToolCalls)'
const LLAMA = 'ggml-org/llama.cpp, tools/server/README.md'
const LITELLM = 'BerriAI/litellm, litellm/proxy/proxy_server.py (async_data_generator)'

const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } }

export const DIALECTS: Dialect[] = [
  {
    name: 'OpenAI: a text with usage, null members and padding',
    source: OPENAI,
    row: TEXT,
    body:
      sse(
        {
          ...chunk({ role: 'assistant', content: '', refusal: null }),
          service_tier: 'default',
          usage: null,
          obfuscation: 'x',
        },
        { ...chunk({ content: 'Forty ' }), usage: null, obfuscation: 'xyz' },
        { ...chunk({ content: 'crowns.' }), usage: null },
        { ...chunk({}, 'stop'), usage: null },
        ended(),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty crowns.' },
  },
  {
    name: 'OpenAI: two calls at once, in pieces by their number',
    source: OPENAI,
    row: TEXT,
    body:
      sse(
        chunk({
          role: 'assistant',
          content: null,
          tool_calls: [
            { index: 0, id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } },
          ],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
        chunk({
          tool_calls: [
            { index: 1, id: 'call_b', type: 'function', function: { name: 'two', arguments: '' } },
          ],
        }),
        chunk({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
        chunk({}, 'tool_calls'),
        ended(),
      ) + DONE,
    step: {
      ...{ status: 'succeeded', finishReason: 'stop' },
      calls: [
        ['one', '{"a":1}'],
        ['two', '{}'],
      ],
    },
  },
  {
    name: 'OpenAI: a refusal in words, that ends with stop',
    source:
      'OpenAI, "Structured model outputs: refusals"; openai-python, types/chat/chat_completion_chunk.py',
    row: 'a refusal in words, or by a filter',
    body:
      sse(
        chunk({ role: 'assistant', content: '' }),
        chunk({ refusal: 'I will not ' }),
        chunk({ refusal: 'do this.' }),
        chunk({}, 'stop'),
        ended(),
      ) + DONE,
    step: {
      ...{ status: 'failed', reason: 'refused', finishReason: 'refused' },
      providerMessage: 'I will not do this.',
    },
  },
  {
    name: 'OpenAI: a text that is cut at its length',
    source: OPENAI,
    row: 'the length was reached',
    body: sse(chunk({ content: 'It costs' }), chunk({}, 'length'), ended()) + DONE,
    step: { status: 'succeeded', finishReason: 'length', text: 'It costs' },
  },
  {
    name: 'OpenAI: a call as it was before there were several',
    source: 'OpenAI, API reference, the deprecated `function_call`',
    row: TEXT,
    body:
      sse(
        chunk({ role: 'assistant', content: null, function_call: { name: 'one', arguments: '' } }),
        chunk({ function_call: { arguments: '{"a":' } }),
        chunk({ function_call: { arguments: '1}' } }),
        chunk({}, 'function_call'),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', calls: [['one', '{"a":1}']] },
  },
  {
    name: 'OpenAI: a member that the model does not take',
    source: 'OpenAI, "Error codes"; the answer to `max_tokens` of models that reason',
    row: 'another status than 200',
    status: 400,
    type: 'application/json',
    body: JSON.stringify({
      error: {
        message: "This model does not take 'max_tokens'. Write 'max_completion_tokens'.",
        type: 'invalid_request_error',
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    }),
    step: {
      ...{ status: 'failed', reason: 'status_400' },
      providerMessage: "This model does not take 'max_tokens'. Write 'max_completion_tokens'.",
    },
  },
  {
    name: 'OpenAI: a 429 that no waiting ends',
    source: 'OpenAI, "Error codes: 429, insufficient_quota"',
    row: 'a status, and the account is empty',
    status: 429,
    type: 'application/json',
    body: JSON.stringify({
      error: {
        ...{ message: 'The plan of this account is used up.', type: 'insufficient_quota' },
        ...{ param: null, code: 'insufficient_quota' },
      },
    }),
    step: {
      ...{ status: 'failed', reason: 'quota_exceeded' },
      providerMessage: 'The plan of this account is used up.',
    },
  },
  {
    name: 'OpenAI: a 429 with its wait to the millisecond',
    source: 'OpenAI, "Rate limits"; openai-python, _base_client.py (retry-after-ms)',
    row: '429, 503, 529',
    status: 429,
    headers: { 'retry-after-ms': '20', 'retry-after': '1' },
    type: 'application/json',
    body: JSON.stringify({
      error: { message: 'Too many tokens a minute.', type: 'tokens', code: 'rate_limit_exceeded' },
    }),
    step: { status: 'failed', reason: 'status_429', providerMessage: 'Too many tokens a minute.' },
    isAskedAgain: true,
  },
  {
    name: 'Azure OpenAI: a first chunk without choices, and one without a delta',
    source: `${AZURE}; langchain-ai/langchain#18977`,
    row: TEXT,
    body:
      sse(
        {
          ...{ id: '', object: '', created: 0, model: '', choices: [] },
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
        },
        chunk({ role: 'assistant', content: '' }, null, { content_filter_results: {} }),
        chunk({ content: 'Forty crowns.' }, null, { content_filter_results: SAFE }),
        {
          ...{ id: '', object: '', created: 0, model: '' },
          choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 } }],
        },
        chunk({}, 'stop'),
        ended(),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty crowns.' },
  },
  {
    name: 'Azure OpenAI: an answer that its filter ends',
    source: AZURE,
    row: 'a refusal in words, or by a filter',
    body:
      sse(
        { ...{ id: '', object: '', created: 0, model: '', choices: [] }, prompt_filter_results: [] },
        chunk({ role: 'assistant', content: 'First one ' }),
        chunk({}, 'content_filter', {
          content_filter_results: { hate: { filtered: true, severity: 'high' } },
        }),
      ) + DONE,
    step: { status: 'failed', reason: 'refused', finishReason: 'refused', text: 'First one ' },
  },
  {
    name: 'Azure OpenAI: a question that its filter refuses',
    source: AZURE,
    row: 'a status, and a filter has refused the question',
    status: 400,
    type: 'application/json',
    body: JSON.stringify({
      error: {
        ...{ message: 'The question was filtered.', param: 'prompt', code: 'content_filter', status: 400 },
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    }),
    step: {
      ...{ status: 'failed', reason: 'refused', finishReason: 'refused' },
      providerMessage: 'The question was filtered.',
    },
  },
  {
    name: 'vLLM: thoughts beside the text, usage in each chunk, a reason to stop that is a number',
    source: `${VLLM} (stop_reason, reasoning_content, continuous_usage_stats)`,
    row: TEXT,
    body:
      sse(
        { ...chunk({ role: 'assistant', content: '' }), usage: { prompt_tokens: 12, completion_tokens: 0 } },
        {
          ...chunk({ reasoning_content: 'They ask for a price.' }),
          usage: { prompt_tokens: 12, completion_tokens: 2 },
        },
        { ...chunk({ content: 'Forty.' }), usage: { prompt_tokens: 12, completion_tokens: 4 } },
        { ...chunk({ content: '' }, 'stop', { stop_reason: 128_008, token_ids: null }), usage: USAGE },
        ended(),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'vLLM: the last piece of a call comes with the end, its other members null',
    source: `${VLLM} (DeltaToolCall)`,
    row: TEXT,
    body:
      sse(
        chunk({
          tool_calls: [
            {
              id: 'chatcmpl-tool-1',
              type: 'function',
              index: 0,
              function: { name: 'one', arguments: '{"a":' },
            },
          ],
        }),
        chunk(
          { tool_calls: [{ id: null, type: null, index: 0, function: { name: null, arguments: '1}' } }] },
          'tool_calls',
          { stop_reason: 163_586 },
        ),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', calls: [['one', '{"a":1}']] },
  },
  {
    name: 'vLLM: a request that it refuses within a 200',
    source: `${VLLM} (create_streaming_error_response); BerriAI/litellm#32237`,
    row: 'an early error object with another 4xx',
    body:
      sse({
        error: {
          ...{ object: 'error', message: 'This model reads no images.', type: 'BadRequestError' },
          ...{ param: null, code: 400 },
        },
      }) + DONE,
    step: { status: 'failed', reason: 'status_400', providerMessage: 'This model reads no images.' },
  },
  {
    name: 'vLLM: a failure within its answer',
    source: `${VLLM} (chat_completion_stream_generator)`,
    row: 'an error object',
    body:
      sse(chunk({ content: 'It ' }), {
        error: { message: 'The engine died.', type: 'InternalServerError', param: null, code: 500 },
      }) + DONE,
    step: { status: 'failed', reason: 'provider_error', text: 'It ', providerMessage: 'The engine died.' },
  },
  {
    name: 'vLLM: it is full after it has thought',
    source: `${VLLM} (chat_completion_stream_generator)`,
    row: 'an error object',
    body:
      sse(chunk({ role: 'assistant', content: '' }), chunk({ reasoning_content: 'They ask.' }), {
        error: { message: 'No room.', type: 'ServiceUnavailableError', param: null, code: 503 },
      }) + DONE,
    step: { status: 'failed', reason: 'provider_error', providerMessage: 'No room.' },
  },
  {
    name: 'SGLang: the token that it stopped at',
    source: `${SGLANG} (matched_stop)`,
    row: TEXT,
    body:
      sse(
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Forty.', reasoning_content: null, tool_calls: null }),
        chunk({}, 'stop', { matched_stop: 151_645 }),
        ended(),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'SGLang: it is full, and says so within a 200',
    source: `${SGLANG} (an abort with a status; create_streaming_error_response)`,
    row: 'an early error object with 429, 503, 529',
    body:
      sse({
        error: {
          ...{ object: 'error', message: 'The queue is full.', type: 'SERVICE_UNAVAILABLE' },
          ...{ param: null, code: 503 },
        },
      }) + DONE,
    step: { status: 'failed', reason: 'status_503', providerMessage: 'The queue is full.' },
    isAskedAgain: true,
  },
  {
    name: 'SGLang: an answer that was given up',
    source: `${SGLANG} (finish_reason abort)`,
    row: 'the server gave the answer up',
    body: sse(chunk({ content: 'It ' }), chunk({}, 'abort', { matched_stop: null }), ended()) + DONE,
    step: { status: 'failed', reason: 'provider_error', text: 'It ' },
  },
  {
    name: 'Ollama: a call that is whole in one chunk, and its thoughts',
    source: OLLAMA,
    row: TEXT,
    body:
      sse(
        chunk({ role: 'assistant', content: '', reasoning: 'I look it up.' }),
        chunk({
          ...{ role: 'assistant', content: '' },
          tool_calls: [
            { id: 'call_1', index: 0, type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
          ],
        }),
        chunk({ role: 'assistant', content: '' }, 'tool_calls'),
        ended(),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', calls: [['one', '{"a":1}']] },
  },
  {
    name: 'Ollama: calls without a number, the last with the end',
    source: 'ollama/ollama#5915',
    row: TEXT,
    body:
      sse(
        chunk(
          {
            ...{ role: 'assistant', content: '' },
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
              { id: 'call_2', type: 'function', function: { name: 'two', arguments: { b: 2 } } },
            ],
          },
          'tool_calls',
        ),
      ) + DONE,
    step: {
      ...{ status: 'succeeded', finishReason: 'stop' },
      calls: [
        ['one', '{"a":1}'],
        ['two', '{"b":2}'],
      ],
    },
  },
  {
    name: 'Ollama: an end for a call that it has lost',
    source: 'earendil-works/pi#1125; BerriAI/litellm#35663',
    row: 'it ends for calls, and there are none',
    body: sse(chunk({ role: 'assistant', content: '' }, 'tool_calls'), ended()) + DONE,
    step: { status: 'failed', reason: 'bad_answer' },
  },
  {
    name: 'llama.cpp: its timings',
    source: `${LLAMA} (timings)`,
    row: TEXT,
    body:
      sse(chunk({ role: 'assistant', content: null }), chunk({ content: 'Forty.' }), chunk({}, 'stop'), {
        ...ended(),
        timings: { cache_n: 0, prompt_n: 12, prompt_ms: 4.8, predicted_n: 4, predicted_ms: 107.9 },
      }) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'llama.cpp: it is still loading its model',
    source: `${LLAMA} (unavailable_error)`,
    row: '429, 503, 529',
    status: 503,
    type: 'application/json',
    body: JSON.stringify({
      error: { code: 503, message: 'The model is loading.', type: 'unavailable_error' },
    }),
    step: { status: 'failed', reason: 'status_503', providerMessage: 'The model is loading.' },
    isAskedAgain: true,
  },
  {
    name: 'LiteLLM: an upstream that fails, its status a text',
    source: LITELLM,
    row: 'an error object',
    body: sse({
      error: { message: 'The upstream failed.', type: 'None', param: 'None', code: '500' },
    }),
    step: { status: 'failed', reason: 'provider_error', providerMessage: 'The upstream failed.' },
  },
  {
    name: 'LiteLLM: an account that is empty, within a 200',
    source: LITELLM,
    row: 'an error object: the account is empty',
    body: sse({
      error: { message: 'No more money.', type: 'insufficient_quota', param: 'None', code: null },
    }),
    step: { status: 'failed', reason: 'quota_exceeded', providerMessage: 'No more money.' },
  },
  {
    name: 'LiteLLM: a filter of an upstream, within a 200',
    source: LITELLM,
    row: 'an error object: a filter',
    body: sse({
      error: { message: 'Filtered.', type: 'ContentPolicyViolationError', param: null, code: null },
    }),
    step: { status: 'failed', reason: 'refused', finishReason: 'refused', providerMessage: 'Filtered.' },
  },
  {
    name: 'LiteLLM: a stream that ends after its usage, without a reason',
    source: 'BerriAI/litellm#40404, #36768',
    row: 'neither a reason to end nor [DONE]',
    body: sse(chunk({ content: 'It costs' }), ended()),
    step: { status: 'failed', reason: 'cut', text: 'It costs' },
  },
  {
    name: 'LiteLLM: nothing but the end',
    source: 'BerriAI/litellm#36768',
    row: '[DONE], and nothing was said',
    body: DONE,
    step: { status: 'failed', reason: 'cut' },
  },
  {
    name: 'ik_llama.cpp: a stream that ends after its reason, without [DONE]',
    source: 'ikawrakow/ik_llama.cpp#467',
    row: TEXT,
    body: sse(chunk({ content: 'Forty.' }), chunk({}, 'stop'), ended()),
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'LiteLLM before Gemini: each chunk has a reason to end',
    source: 'BerriAI/litellm#2195',
    row: TEXT,
    body: sse(chunk({ content: 'Forty ' }, 'stop'), chunk({ content: 'crowns.' }, 'stop')) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty crowns.' },
  },
  {
    name: 'LiteLLM before Gemini: a connection that ends after a reason, with half of what it said',
    source: 'BerriAI/litellm#2195',
    row: 'a connection that ended within its answer',
    body: sse(chunk({ content: 'Forty ' }, 'stop')),
    isCut: true,
    step: { status: 'failed', reason: 'cut', text: 'Forty ' },
  },
  {
    name: 'OpenAI: a connection that ends between the call of a tool and [DONE]',
    source: OPENAI,
    row: 'a connection that ended within its answer',
    body: sse(
      chunk({
        tool_calls: [
          { index: 0, id: 'call_a', type: 'function', function: { name: 'one', arguments: '{}' } },
        ],
      }),
      chunk({}, 'tool_calls'),
      ended(),
    ),
    isCut: true,
    step: { status: 'failed', reason: 'cut' },
  },
  {
    name: 'OpenRouter: comments that keep the connection open, and other ends of lines',
    source: 'OpenRouter, "API: streaming"',
    row: TEXT,
    body: `: OPENROUTER PROCESSING\r\n\r\n${(sse(chunk({ content: 'Forty.' }), chunk({}, 'stop'), ended()) + DONE).replaceAll('\n', '\r\n')}`,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'Mistral: a text in parts, thoughts among them',
    source: 'Mistral, API reference, "Chat completion: content chunks"',
    row: TEXT,
    body:
      sse(
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Well.' }] }] }),
        chunk({ content: [{ type: 'text', text: 'Forty.' }] }),
        chunk({}, 'stop'),
      ) + DONE,
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'an endpoint that does not stream',
    source: 'OpenAI, API reference, "The chat completion object"',
    row: TEXT,
    type: 'application/json',
    body: JSON.stringify({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_760_000_000, model: 'small' },
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Forty.', refusal: null }, finish_reason: 'stop' },
      ],
      usage: USAGE,
    }),
    step: { status: 'succeeded', finishReason: 'stop', text: 'Forty.' },
  },
  {
    name: 'a page for people',
    source: 'a proxy before the endpoint',
    row: 'a chunk that is no JSON, or nothing but that',
    type: 'text/html',
    body: '<html><body>Please sign in.</body></html>',
    step: { status: 'failed', reason: 'bad_answer' },
  },
  {
    name: 'a gateway whose upstream took too long',
    source: 'RFC 9110, 15.6.5',
    row: '408 and the other 5xx',
    status: 504,
    type: 'text/html',
    body: '<html><body>504</body></html>',
    step: { status: 'failed', reason: 'status_504' },
  },
  {
    name: 'a connection that ends within the answer',
    source: 'BerriAI/litellm#40404',
    row: 'a connection that ended within its answer',
    body: sse(chunk({ content: 'It costs' }), ended()),
    isCut: true,
    step: { status: 'failed', reason: 'cut', text: 'It costs' },
  },
]

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readModels } from '#src/config/models-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-models-file-'))
after(() => rmSync(folder, { recursive: true }))

function read(model: object) {
  const file = join(folder, 'models.json')
  writeFileSync(file, JSON.stringify({ models: { small: { url: 'https://api.test/v1', ...model } } }))
  const problems: string[] = []
  return { models: readModels(file, () => undefined, problems), problems }
}

describe('MODELS_FILE', () => {
  it('says how a model is asked; what it does not say is as most endpoints have it', () => {
    const [plain] = read({}).models
    assert.deepEqual([plain?.maxTokensField, plain?.parameters, plain?.extra], ['max_tokens', {}, {}])
    const said = {
      maxTokensField: 'max_completion_tokens',
      parameters: { temperature: 1, reasoningEffort: 'high' },
      extra: { stream_options: null, store: false },
    } as const
    const { models, problems } = read(said)
    assert.deepEqual(problems, [])
    const [{ maxTokensField, parameters, extra } = {}] = models
    assert.deepEqual({ maxTokensField, parameters, extra }, said)
  })

  it('is refused where it says what cannot be, with the place of each', () => {
    const wrong: [object, RegExp][] = [
      [{ maxTokensField: 'n_predict' }, /models\.small\.maxTokensField must be max_tokens or max_completion/],
      [
        { parameters: { temperature: 3 } },
        /parameters\.temperature must be a number from 0 to 2 \(it is 3\)/,
      ],
      [{ parameters: { seed: 0.5 } }, /parameters\.seed must be a whole number/],
      [{ parameters: { reasoningEffort: 'much' } }, /parameters\.reasoningEffort must be one of none, /],
      [{ parameters: { top_p: 1 } }, /parameters\.top_p is not known here/],
      [{ parameters: [] }, /parameters must be an object/],
      [{ extra: { messages: [] } }, /extra\.messages is set by Postern/],
      [{ extra: { max_tokens: 1 } }, /extra\.max_tokens is set by Postern/],
      [{ extra: 'store' }, /extra must be an object/],
    ]
    for (const [model, problem] of wrong) {
      const { models, problems } = read(model)
      assert.deepEqual(models, [])
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(String(problems[0]), problem)
    }
  })
})

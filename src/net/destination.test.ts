import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DESTINATION_PATTERN, readDestination } from './destination.ts'

const TAKEN = [
  'https://example.com',
  'HTTP://Example.COM:8080/Hooks?to=a%20b&c=[d]#e',
  'https://example.com./',
  'https://a_b.c-d.example/',
  'https://9.example/',
  'https://bücher.example/straße?größe=ä',
  'https://xn--bcher-kva.example/',
  'https://例え.テスト/😀',
  'https://192.0.2.1:65535/',
  'https://[2001:db8::1]:8443/hooks',
  'https://[2001:DB8:0:0:0:0:0:1]/',
  'https://[::]/',
  'https://[::1]/',
  'https://[1::]/',
  'https://[1:2:3:4:5:6:7::]/',
  'https://[1:2:3::6:7:8]/',
]

const REFUSED = [
  '',
  'example.com',
  '/hooks',
  'ftp://example.com/',
  'https:///hooks',
  'https:example.com',
  'https://ada:secret@example.com/',
  'https://example.com:65536/',
  'https://example.com/a b',
  'https://example.com/a\\b',
  'https://example.com/\u0000',
  'https://example.com/\u009f',
  'https://exa mple.com/',
  'https://256.1.1.1/',
  'https://1.2.3.4.5/',
  'https://[2001:db8::1/',
  'https://[1:2:3:4:5:6:7]/',
  'https://[1::2::3]/',
  'https://[12345::]/',
  'https://[1:2:3:4:5:6:7:8:9]/',
]

// Validators apply a pattern with and without the `u` flag.
for (const flags of ['u', '']) {
  const pattern = new RegExp(DESTINATION_PATTERN, flags)

  it(`the URL of an accepted destination matches the pattern of the API document (flags "${flags}")`, () => {
    for (const text of TAKEN) {
      assert.ok(readDestination(text) instanceof URL, text)
      assert.match(text, pattern)
    }
  })

  it(`the URL of a refused destination does not match the pattern of the API document (flags "${flags}")`, () => {
    for (const text of REFUSED) {
      assert.equal(typeof readDestination(text), 'string', text)
      assert.doesNotMatch(text, pattern)
    }
  })
}

import { createHmac } from 'node:crypto'
import { toIso } from '#src/core/clock.ts'
import {
  assertionOf,
  type newSamlProvider,
  readRequest,
  responseOf,
  type Said,
  type SamlPerson,
  type SigningOptions,
  sayOf,
  signed,
} from './saml-provider.ts'

type SamlProvider = ReturnType<typeof newSamlProvider>

/** What an answer is forged of. */
interface Parts {
  idp: SamlProvider
  /** Another provider that says the same name, and has a key of its own. */
  stranger: SamlProvider
  /** Whom the attacker wants to be. */
  victim: SamlPerson
  /** The attacker, for whom the provider truly signs. */
  mallory: SamlPerson
  now: number
}

export interface Forgery {
  reason: string
  forge: (authUrl: string) => string | Buffer
}

const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/s
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
const HMAC = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'
const ASSERTION_END = '</saml:Assertion>'
const RESPONSE_END = '</samlp:Response>'
const MINUTE = 60_000

/** Answers that must not open a session, by name, with the reason that the audit log records. */
export function forgedAnswers({ idp, stranger, victim, mallory, now }: Parts): Record<string, Forgery> {
  const say = (authUrl: string, person: SamlPerson, more: Partial<Said> = {}) =>
    sayOf(readRequest(authUrl), idp.entityId, person, { now, ...more })
  /** What the provider truly says of the attacker: its response, its signed assertion, and that without its signature. */
  const truly = (authUrl: string) => {
    const said = say(authUrl, mallory)
    const assertion = signed(assertionOf(said, '_original'), 'Assertion', idp.identity)
    const signature = SIGNATURE.exec(assertion)?.[0] ?? ''
    return { said, assertion, signature, bare: assertion.replace(signature, '') }
  }
  const evilOf = (authUrl: string, id = '_evil') => assertionOf(say(authUrl, victim), id)
  const respond = (authUrl: string, content: string) => responseOf(say(authUrl, mallory), content)
  /** A signed response of the attacker, without which the attacks on responses have nothing to move. */
  const trulyWhole = (authUrl: string) => {
    const said = say(authUrl, mallory)
    const response = signed(
      responseOf(said, assertionOf(said, '_original'), '_response'),
      'Response',
      idp.identity,
    )
    const signature = SIGNATURE.exec(response)?.[0] ?? ''
    const evil = responseOf(say(authUrl, victim), evilOf(authUrl), '_evilresponse')
    return { response, signature, bare: response.replace(signature, ''), evil }
  }
  const saying =
    (more: Partial<Said>): Forgery['forge'] =>
    (authUrl) =>
      idp.answer(authUrl, victim, { now, ...more })
  const signing =
    (options: SigningOptions): Forgery['forge'] =>
    (authUrl) => {
      const said = say(authUrl, victim)
      return responseOf(said, signed(assertionOf(said), 'Assertion', idp.identity, options))
    }
  const changing =
    (change: (xml: string) => string): Forgery['forge'] =>
    (authUrl) =>
      change(idp.answer(authUrl, victim, { now }))

  return {
    'not signed at all': { reason: 'unsigned', forge: (authUrl) => respond(authUrl, evilOf(authUrl)) },
    'signed by a stranger': {
      reason: 'signature',
      forge: (authUrl) => idp.answer(authUrl, victim, { now }, stranger.identity),
    },
    'changed after it was signed': {
      reason: 'signature',
      forge: changing((xml) => xml.replaceAll(victim.nameId, mallory.nameId)),
    },
    'a digest of another text': {
      reason: 'signature',
      forge: changing((xml) => xml.replace(/<ds:DigestValue>...../, '<ds:DigestValue>AAAAA')),
    },
    'no value of a signature': {
      reason: 'signature',
      forge: changing((xml) =>
        xml.replace(/<ds:SignatureValue>.*?<\/ds:SignatureValue>/s, '<ds:SignatureValue/>'),
      ),
    },
    'two values of a digest': {
      reason: 'signature_place',
      forge: changing((xml) => xml.replace(/(<ds:DigestValue>.*?<\/ds:DigestValue>)/s, '$1$1')),
    },
    'two lists of what is signed': {
      reason: 'signature_place',
      forge: changing((xml) => xml.replace(/(<ds:SignedInfo>.*?<\/ds:SignedInfo>)/s, '$1$1')),
    },
    'two references': {
      reason: 'signature_place',
      forge: changing((xml) => xml.replace(/(<ds:Reference .*?<\/ds:Reference>)/s, '$1$1')),
    },
    'a reference to the whole document': {
      reason: 'signature_place',
      forge: changing((xml) => xml.replace(/URI="#[^"]*"/, 'URI=""')),
    },
    'a transform that leaves things out': {
      reason: 'signature_place',
      forge: changing((xml) =>
        xml.replace(
          /(<ds:Transforms>)/,
          '$1<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/>',
        ),
      ),
    },
    'an Object in the signature': {
      reason: 'signature_place',
      forge: changing((xml) => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>')),
    },
    // XSW 1 to 8: what was truly signed is moved to where only the signature looks.
    'XSW1: the evil response holds the true one behind its signature': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const { signature, bare, evil } = trulyWhole(authUrl)
        return evil.replace(
          '<samlp:Status>',
          `${signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`)}<samlp:Status>`,
        )
      },
    },
    'XSW2: the true response stands before the signature of the evil one': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const { signature, bare, evil } = trulyWhole(authUrl)
        return evil.replace('<samlp:Status>', `${bare}${signature}<samlp:Status>`)
      },
    },
    'XSW3: an evil assertion stands before the true one': {
      reason: 'many_assertions',
      forge: (authUrl) => respond(authUrl, evilOf(authUrl) + truly(authUrl).assertion),
    },
    'XSW4: the true assertion stands in the evil one': {
      reason: 'many_assertions',
      forge: (authUrl) =>
        respond(authUrl, evilOf(authUrl).replace(ASSERTION_END, truly(authUrl).assertion + ASSERTION_END)),
    },
    'XSW5: the evil assertion has the signature, and the true one follows': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const { signature, bare } = truly(authUrl)
        return respond(
          authUrl,
          evilOf(authUrl).replace('<saml:Subject>', `${signature}<saml:Subject>`) + bare,
        )
      },
    },
    'XSW6: the true assertion stands in the signature of the evil one': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const { signature, bare } = truly(authUrl)
        const holding = signature.replace('</ds:Signature>', `${bare}</ds:Signature>`)
        return respond(authUrl, evilOf(authUrl).replace('<saml:Subject>', `${holding}<saml:Subject>`))
      },
    },
    'XSW7: the evil assertion stands in extensions': {
      reason: 'many_assertions',
      forge: (authUrl) =>
        respond(
          authUrl,
          `<samlp:Extensions>${evilOf(authUrl, '_original')}</samlp:Extensions>${truly(authUrl).assertion}`,
        ),
    },
    'XSW8: the true assertion stands in an object of the evil one': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const { signature, bare } = truly(authUrl)
        const holding = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`)
        return respond(
          authUrl,
          evilOf(authUrl, '_original').replace('<saml:Subject>', `${holding}<saml:Subject>`),
        )
      },
    },
    'the evil assertion has the id and the signature of the true one': {
      reason: 'signature',
      forge: (authUrl) => {
        const { signature } = truly(authUrl)
        return respond(
          authUrl,
          evilOf(authUrl, '_original').replace('<saml:Subject>', `${signature}<saml:Subject>`),
        )
      },
    },
    'the signature of the assertion stands in the response': {
      reason: 'signature_place',
      forge: (authUrl) => {
        const { signature, bare, said } = truly(authUrl)
        return responseOf(said, bare).replace('<samlp:Status>', `${signature}<samlp:Status>`)
      },
    },
    'a signed response whose assertion was replaced': {
      reason: 'signature',
      forge: (authUrl) => {
        const { response } = trulyWhole(authUrl)
        return response.replace(/<saml:Assertion .*<\/saml:Assertion>/s, evilOf(authUrl))
      },
    },
    'a true assertion in a response with a bad signature of its own': {
      reason: 'signature',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const inner = signed(assertionOf(said), 'Assertion', idp.identity)
        return signed(responseOf(said, inner), 'Response', stranger.identity)
      },
    },
    'two elements with one id': {
      reason: 'duplicate_id',
      forge: changing((xml) => {
        const id = /<saml:Assertion [^>]*ID="([^"]+)"/.exec(xml)?.[1]
        return xml.replace('<samlp:Status>', `<samlp:Status ID="${id}">`)
      }),
    },
    'two true assertions': {
      reason: 'many_assertions',
      forge: (authUrl) => {
        const one = truly(authUrl).assertion
        const other = signed(assertionOf(say(authUrl, victim), '_other'), 'Assertion', idp.identity)
        return respond(authUrl, one + other)
      },
    },
    'an encrypted assertion': {
      reason: 'encryption_shape',
      forge: (authUrl) => respond(authUrl, '<saml:EncryptedAssertion/>'),
    },
    'a comment in the name': {
      reason: 'not_xml',
      forge: changing((xml) => xml.replace(victim.nameId, victim.nameId.replace(/^(.)/, '$1<!-- -->'))),
    },
    'a processing instruction in the name': {
      reason: 'not_xml',
      forge: changing((xml) => xml.replace(victim.nameId, victim.nameId.replace(/^(.)/, '$1<?x y?>'))),
    },
    'CDATA in the name': {
      reason: 'not_xml',
      forge: changing((xml) => xml.replace(victim.nameId, `<![CDATA[${victim.nameId}]]>`)),
    },
    'an element in the name': {
      reason: 'no_key',
      forge: (authUrl) => idp.answer(authUrl, { ...victim, nameId: `${victim.nameId}<b/>` }, { now }),
    },
    'a name of this sign-in alone': {
      reason: 'no_key',
      forge: (authUrl) =>
        idp.answer(
          authUrl,
          { ...victim, format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
          { now },
        ),
    },
    'another audience': { reason: 'audience', forge: saying({ audience: 'https://other.test' }) },
    'a second restriction of the audience': {
      reason: 'audience',
      forge: saying({
        conditions:
          '<saml:AudienceRestriction><saml:Audience>https://other.test</saml:Audience></saml:AudienceRestriction>',
      }),
    },
    'a condition that is not known': { reason: 'conditions', forge: saying({ conditions: '<saml:Other/>' }) },
    'no conditions': {
      reason: 'audience',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const bare = assertionOf(said).replace(/<saml:Conditions.*<\/saml:Conditions>/s, '')
        return responseOf(said, signed(bare, 'Assertion', idp.identity))
      },
    },
    'another recipient': {
      reason: 'subject_confirmation',
      forge: saying({ recipient: 'https://other.test/acs' }),
    },
    'another destination': {
      reason: 'destination',
      forge: saying({ destination: 'https://other.test/acs' }),
    },
    'confirmed otherwise than by who brings it': {
      reason: 'subject_confirmation',
      forge: saying({ confirmation: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }),
    },
    'in answer to another request': { reason: 'request', forge: saying({ inResponseTo: '_other' }) },
    'an assertion in answer to another request': {
      reason: 'request',
      forge: saying({ subjectInResponseTo: '_other' }),
    },
    'in answer to no request': {
      reason: 'request',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const bare = assertionOf(said).replace(/ InResponseTo="[^"]*"/, '')
        return responseOf(said, signed(bare, 'Assertion', idp.identity)).replace(/ InResponseTo="[^"]*"/, '')
      },
    },
    expired: {
      reason: 'expired',
      forge: saying({ notBefore: now - 60 * MINUTE, notOnOrAfter: now - 3 * MINUTE }),
    },
    'not valid yet': {
      reason: 'not_yet',
      forge: saying({ notBefore: now + 4 * MINUTE, notOnOrAfter: now + 60 * MINUTE }),
    },
    'issued in the future': {
      reason: 'not_yet',
      forge: (authUrl) => idp.answer(authUrl, victim, { now: now + 4 * MINUTE, notBefore: now }),
    },
    'of a session that has ended there': {
      reason: 'expired',
      forge: saying({ statement: `SessionNotOnOrAfter="${toIso(now - 4 * MINUTE)}"` }),
    },
    'a time in no time zone': {
      reason: 'expired',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const bare = assertionOf(said).replaceAll(/(NotOnOrAfter="[^"]*)Z"/g, '$1"')
        return responseOf(said, signed(bare, 'Assertion', idp.identity))
      },
    },
    'without the moment of its end': {
      reason: 'subject_confirmation',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const bare = assertionOf(said).replaceAll(/ NotOnOrAfter="[^"]*"/g, '')
        return responseOf(said, signed(bare, 'Assertion', idp.identity))
      },
    },
    'no word of how the person has signed in': {
      reason: 'no_authentication',
      forge: (authUrl) => {
        const said = say(authUrl, victim)
        const bare = assertionOf(said).replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/s, '')
        return responseOf(said, signed(bare, 'Assertion', idp.identity))
      },
    },
    'an assertion of another issuer': { reason: 'issuer', forge: saying({ issuer: 'https://other.test' }) },
    'a response of another issuer': {
      reason: 'issuer',
      forge: saying({ responseIssuer: 'https://other.test' }),
    },
    'another status': {
      reason: 'denied',
      forge: saying({ status: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed' }),
    },
    'signed by RSA with SHA-1': {
      reason: 'weak_algorithm',
      forge: signing({ method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    },
    'a digest by SHA-1': { reason: 'weak_algorithm', forge: signing({ digest: SHA1 }) },
    'signed with the certificate as a shared key': {
      reason: 'weak_algorithm',
      forge: (authUrl) => {
        const xml = idp.answer(authUrl, victim, { now })
        const info = (/<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)?.[0] ?? '').replace(
          /(<ds:SignatureMethod Algorithm=")[^"]*/,
          `$1${HMAC}`,
        )
        const canonical = info.replace(
          '<ds:SignedInfo>',
          '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">',
        )
        const value = createHmac('sha1', idp.identity.certificate).update(canonical).digest('base64')
        return xml
          .replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/s, info)
          .replace(/<ds:SignatureValue>.*?</s, `<ds:SignatureValue>${value}<`)
      },
    },
    'a document type': { reason: 'not_xml', forge: changing((xml) => `<!DOCTYPE a>${xml}`) },
    'entities within entities': {
      reason: 'not_xml',
      forge: changing((xml) => {
        const grow = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`
        return `<!DOCTYPE a [<!ENTITY a "lol">${grow('b', 'a')}${grow('c', 'b')}${grow('d', 'c')}]>${xml.replace(victim.nameId, '&d;')}`
      }),
    },
    'an entity of a file': {
      reason: 'not_xml',
      forge: changing(
        (xml) => `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml.replace(victim.nameId, '&a;')}`,
      ),
    },
    'elements too deep within one another': {
      reason: 'not_xml',
      forge: (authUrl) => respond(authUrl, '<a>'.repeat(5_000) + '</a>'.repeat(5_000)),
    },
    'too many elements': { reason: 'not_xml', forge: (authUrl) => respond(authUrl, '<a/>'.repeat(20_000)) },
    'too many attributes': {
      reason: 'not_xml',
      forge: (authUrl) => respond(authUrl, `<a ${'bcdefghijklmnopqr'.replaceAll(/./g, '$&="" ')}/>`),
    },
    'too many attributes in all': {
      reason: 'not_xml',
      forge: (authUrl) => respond(authUrl, `<a ${'bcdefghijklmno'.replaceAll(/./g, '$&="" ')}/>`.repeat(600)),
    },
    'too many namespaces within one another': {
      reason: 'not_xml',
      forge: (authUrl) =>
        respond(
          authUrl,
          `${'abcdefghijklmnopq'.replaceAll(/./g, '<a xmlns:$&="u" xmlns:x$&="u">')}${'</a>'.repeat(17)}`,
        ),
    },
    'no XML': { reason: 'not_xml', forge: () => 'no XML' },
    'two roots': { reason: 'not_xml', forge: changing((xml) => `${xml}<a/>`) },
    'bytes that are no text': { reason: 'not_xml', forge: () => Buffer.from([0x3c, 0x61, 0xff, 0x3e]) },
    'text in UTF-16': {
      reason: 'not_xml',
      forge: (authUrl) => Buffer.from(`\ufeff${idp.answer(authUrl, victim, { now })}`, 'utf16le'),
    },
    nothing: { reason: 'not_base64', forge: () => '' },
    'another document': { reason: 'not_a_response', forge: (authUrl) => evilOf(authUrl) },
    'a response in no namespace': {
      reason: 'not_a_response',
      forge: changing((xml) => xml.replaceAll('samlp:', '').replace(/ xmlns:samlp="[^"]*"/, '')),
    },
    'something behind the end': {
      reason: 'not_xml',
      forge: changing((xml) => xml.replace(RESPONSE_END, `${RESPONSE_END}x`)),
    },
  }
}

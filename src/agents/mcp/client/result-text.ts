import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** Characters in a row of the alphabet of base64 that no prose has. */
const BASE64 = /[A-Za-z0-9+/_-]{1024,}={0,2}/g

/** What a tool answered, as a text for a model: bytes are named, and left out. */
export function toText({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(textOf)
  const isBare = content.length === 0 && structuredContent !== undefined
  const text = isBare ? JSON.stringify(structuredContent) : texts.join('\n')
  return text.replace(BASE64, (run) => `[${run.length} characters of base64 are left out]`)
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'image' || block.type === 'audio')
    return `[${block.type}, ${block.mimeType}, ${block.data.length} characters of base64 are left out]`
  if (block.type === 'resource_link') return `[resource ${block.name}: ${block.uri}]`
  const { resource } = block
  return 'text' in resource ? resource.text : `[resource ${resource.uri}, its bytes are left out]`
}

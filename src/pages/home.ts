import { html } from '../core/text/html.ts'
import { type Facts, type Page, step } from './layout.ts'

/** `/`: says what this address is. */
export function home({ root }: Facts): Page {
  return {
    title: 'Welcome',
    content: step(
      'home',
      'A private gate',
      html`<p>This is Postern. People come in by invitation; events go out, signed.</p>
<p><a class="primary" href="${root}/sign-in">Sign in</a></p>
<p class="aside"><a href="${root}/api/docs">Read the API documentation</a></p>`,
      { shown: true },
    ),
  }
}

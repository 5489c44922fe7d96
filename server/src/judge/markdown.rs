//! Untrusted Markdown as harmless HTML: no raw HTML, no pictures, and links to the web only.

use maud::PreEscaped;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// Longer texts are shown verbatim, not as Markdown.
const MAX_MARKDOWN_BYTES: usize = 1 << 20;

/// A text as HTML, below a heading of this level of the page. Its headings leave out no level, whatever they do in the text.
pub(super) fn render_markdown(text: &str, outer: usize) -> PreEscaped<String> {
    if text.len() > MAX_MARKDOWN_BYTES {
        return maud::html! { pre { (text) } };
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    // The number of enclosing links that are shown as plain text; the headings above, and the last one as it is shown.
    let mut plain_links = 0_usize;
    let mut outer_levels: Vec<HeadingLevel> = Vec::new();
    let mut lowered_level = HeadingLevel::H6;
    let mut out = String::with_capacity(text.len() * 3 / 2);
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        // A picture would reveal to another server who judges, and when.
        Event::Start(Tag::Image { .. }) => Some(Event::Text(CowStr::Borrowed("[picture: "))),
        Event::End(TagEnd::Image) => Some(Event::Text(CowStr::Borrowed("]"))),
        Event::Start(Tag::Heading { level, .. }) => {
            outer_levels.retain(|outer_levels| *outer_levels < level);
            outer_levels.push(level);
            lowered_level = heading_level(outer + outer_levels.len());
            Some(Event::Start(Tag::Heading { level: lowered_level, id: None, classes: Vec::new(), attrs: Vec::new() }))
        }
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(lowered_level))),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => {
            let is_web = ["https://", "http://"].iter().any(|scheme| dest_url.to_lowercase().starts_with(scheme));
            if !is_web || link_type == LinkType::Email {
                plain_links += 1;
                return None;
            }
            let title = CowStr::Borrowed("");
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id: CowStr::Borrowed("") }))
        }
        Event::End(TagEnd::Link) if plain_links > 0 => {
            plain_links -= 1;
            None
        }
        event => Some(event),
    });
    html::push_html(&mut out, events);
    // The target of a link gets no referrer, and a judge who follows one keeps the question.
    PreEscaped(out.replace("<a href=", "<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href="))
}

/// The heading of this depth, 1 to 6; deeper ones are like the sixth.
fn heading_level(depth: usize) -> HeadingLevel {
    HeadingLevel::try_from(depth.min(6)).unwrap_or(HeadingLevel::H6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_shown_and_does_nothing() {
        let shown =
            render_markdown("## One\n\n#### Two\n\n# Three\n\n*two* `three`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", 2).0;
        for part in ["<h3>One</h3>", "<h4>Two</h4>", "<h3>Three</h3>", "<em>two</em>", "<code>three</code>", "<table>"]
        {
            assert!(shown.contains(part), "{shown}");
        }
        let hostile = [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<iframe src=\"https://example.org\"></iframe>",
            "![](https://example.org/pixel.png \"t\")",
            "[x](javascript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x]( JaVaScRiPt:alert(1) )",
            "<javascript:alert(1)>",
            "[x][y]\n\n[y]: javascript:alert(1)",
            "[a <b>](https://example.org/\" onmouseover=\"alert(1))",
            "<!-- --><style>*{display:none}</style>",
            "# x {#main .quiet onclick=alert(1)}",
            "[![i](https://example.org/i.png)](javascript:alert(1))",
            "<form action=/answer><input name=verdict value=first>",
            "</article></main><h1>Enough is known",
            "| a |\n|--|\n| <b onclick=alert(1)> |",
        ];
        for text in hostile {
            let shown = render_markdown(text, 2).0;
            // Every tag is one that Markdown makes, and has no attribute but the address of a link to the web.
            for tag in shown.split('<').skip(1) {
                let tag = tag.split('>').next().unwrap();
                let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
                assert!(
                    ["p", "a", "em", "h3", "table", "thead", "tbody", "tr", "th", "td", "pre", "code", "br"]
                        .contains(&name),
                    "{text}: {shown}"
                );
                if let Some((_, attributes)) = tag.split_once(' ') {
                    let expected = "rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"http";
                    assert!(name == "a" && attributes.starts_with(expected), "{text}: {shown}");
                    assert_eq!(attributes.matches('"').count(), 6, "{text}: {shown}");
                }
            }
        }
    }

    #[test]
    fn text_about_links_is_not_changed_where_it_is_not_one() {
        let shown = render_markdown("`<a href=x>` and <a href=y>", 2).0;
        assert!(!shown.contains("<a ") && shown.contains("&lt;a href=x&gt;"), "{shown}");
        assert!(render_markdown(&"x".repeat(MAX_MARKDOWN_BYTES + 1), 2).0.starts_with("<pre>x"));
    }
}

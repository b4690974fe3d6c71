import Testing

@testable import RepriseWeb

@Suite struct HTMLTests {
    @Test func `interpolated text cannot become a tag or end an attribute`() {
        let text = #"<script>alert('x')</script>" onclick="y" & z"#
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        let escaped =
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onclick=&quot;y&quot; &amp; z"
        #expect(html.text.utf8.elementsEqual("<p title=\"\(escaped)\">\(escaped)</p>".utf8))
    }

    @Test func `HTML is not escaped again`() {
        let item: HTML = "<li>\("<")</li>"
        let html: HTML = "<ul>\([item, item])</ul>\(item) \(2)"
        #expect(html.text == "<ul><li>&lt;</li><li>&lt;</li></ul><li>&lt;</li> 2")
    }

    @Test func `characters that cannot be seen are escaped`() {
        #expect(HTML.escaped("a\u{0}b\u{1B}[1mc\r\u{85}") == #"a\u{0}b\u{1B}[1mc\u{D}\u{85}"#)
        #expect(
            HTML.escaped("\u{202E}gpj.exe\u{2066}\u{200F}") == #"\u{202E}gpj.exe\u{2066}\u{200F}"#)
        #expect(HTML.escaped("a\n\tb é 👩‍🚀 ש") == "a\n\tb é 👩‍🚀 ש")
    }

    @Test func `long text is truncated between scalars`() {
        #expect("abc".truncated(to: 3) == "abc")
        #expect("abcd".truncated(to: 3) == "abc…")
        #expect("".truncated(to: 0) == "")
        #expect("e\u{301}".truncated(to: 1) == "e…")
    }

    @Test func `a page names its scene, and marks the current page`() {
        let scene = SceneAddress(application: "org.<b>", scene: "a b&c")
        let text = HTML.page("History", of: scene, at: "/history", "<p>x</p>").text
        #expect(text.contains("<title>History: a b&amp;c – org.&lt;b&gt;</title>"))
        #expect(
            text.contains(
                #"<a href="/history?application=org.%3Cb%3E&amp;scene=a%20b%26c" aria-current="page">"#
            ))
        #expect(
            text.contains(#"<a href="/?application=org.%3Cb%3E&amp;scene=a%20b%26c">Scene</a>"#))
        #expect(text.contains("<main>\n<p>x</p>\n</main>"))
    }
}

@Suite struct FormParametersTests {
    @Test func `parameters are decoded`() {
        let parameters = FormParameters("a=1&b=x+y%2Bz&c&=d&a=2&e=%C3%A9=f")
        #expect(parameters?["a"] == "1")
        #expect(parameters?["b"] == "x y+z")
        #expect(parameters?["c"] == "")
        #expect(parameters?[""] == "d")
        #expect(parameters?["e"] == "é=f")
        #expect(parameters?["f"] == nil)
        #expect(FormParameters("")?["a"] == nil)
    }

    @Test func `names are compared by their bytes`() {
        #expect(FormParameters("e%CC%81=1")?["\u{E9}"] == nil)
        #expect(FormParameters("e%CC%81=1")?["e\u{301}"] == "1")
    }

    @Test(arguments: ["a=%", "a=%4", "a=%4g", "a=%+4", "a=%-1", "%=1", "a=%FF", "a=%C3&b=%A9"])
    func `incorrect encoding is refused`(_ text: String) {
        #expect(FormParameters(text) == nil)
    }

    @Test(arguments: ["", "a b+c", "é/\u{0}&=%\"'<>", "~-._", "👩‍🚀"])
    func `encoded text is decoded to the same text`(_ text: String) {
        let encoded = FormParameters.encode(text)
        #expect(
            encoded.utf8.allSatisfy { !"&=+\"'<> ".utf8.contains($0) && (0x21...0x7E).contains($0) }
        )
        #expect(FormParameters("a=\(encoded)")?["a"].map { Array($0.utf8) } == Array(text.utf8))
    }
}

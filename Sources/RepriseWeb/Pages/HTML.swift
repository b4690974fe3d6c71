import TerminalText

/// HTML text, in which each interpolated string is escaped.
///
/// All HTML that the server makes has this type, so text of a scene cannot become a tag or an attribute.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The text, which contains tags.
    private(set) var text: String

    /// Creates HTML from a literal of the program, which is not escaped.
    init(stringLiteral literal: String) { text = literal }

    /// Creates HTML from a literal of the program with interpolated values.
    init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
    }

    /// Appends HTML.
    static func += (left: inout HTML, right: HTML) { left.text += right.text }

    /// Returns text in which each character that has a meaning in elements or in quoted attributes is replaced.
    ///
    /// Control characters, and characters that change the direction of text, are replaced by escapes such as
    /// `\u{202E}`. Line breaks and tabs are kept.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                if scalar.isInterpretedByTerminal {
                    result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Literals and escaped values from which HTML is created.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Creates an empty interpolation.
        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        /// Appends a literal of the program.
        mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a string, which is escaped.
        mutating func appendInterpolation(_ string: String) { text += escaped(string) }

        /// Appends a number.
        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

        /// Appends HTML.
        mutating func appendInterpolation(_ html: HTML) { text += html.text }

        /// Appends a sequence of HTML, without separators.
        mutating func appendInterpolation(_ items: some Sequence<HTML>) {
            for item in items { text += item.text }
        }
    }
}

extension HTML {
    /// Returns a complete page.
    ///
    /// - Parameters:
    ///   - title: The heading of the page.
    ///   - scene: The scene to which the page refers, or `nil` if there is none.
    ///   - path: The path of the page in the navigation, or `nil` if the page is not part of it.
    ///   - content: The main part of the page.
    static func page(
        _ title: String, of scene: SceneAddress?, at path: String? = nil, _ content: HTML
    ) -> HTML {
        let subject = scene.map { "\($0.scene) – \($0.application)" }
        let links = [("/", "Scene"), ("/history", "History"), ("/inspector", "Inspector")].map {
            linkPath, label -> HTML in
            let mark: HTML = linkPath == path ? " aria-current=\"page\"" : ""
            return "<a href=\"\(scene?.url(linkPath) ?? linkPath)\"\(mark)>\(label)</a>\n"
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(subject.map { "\(title): \($0)" } ?? title)</title>
            <link rel="stylesheet" href="/page.css">
            </head>
            <body class="report">
            <header>
            <h1>\(title)</h1>
            <p>\(subject ?? "")</p>
            <nav aria-label="Pages">
            \(links)</nav>
            </header>
            <main>
            \(content)
            </main>
            </body>
            </html>

            """
    }

    /// Returns an entry of a description list.
    static func fact(_ term: String, _ description: String) -> HTML {
        "<dt>\(term)</dt><dd>\(description)</dd>\n"
    }
}

extension String {
    /// Returns the beginning of the text, followed by an ellipsis if the text has more scalars than the maximum.
    func truncated(to maximumScalars: Int = 1000) -> String {
        let beginning = unicodeScalars.prefix(maximumScalars)
        return beginning.endIndex == endIndex ? self : String(beginning) + "…"
    }
}

#if Web
    import Hummingbird
    import NIOCore

    /// Static file of the web page.
    struct PageFile: Sendable {
        let path: String
        let contentType: String
        let bytes: [UInt8]

        static let all = [
            PageFile(
                path: "/", contentType: "text/html; charset=utf-8",
                bytes: PackageResources.index_html),
            PageFile(
                path: "/page.js", contentType: "text/javascript; charset=utf-8",
                bytes: script(PackageResources.page_js)),
            PageFile(
                path: "/page.css", contentType: "text/css; charset=utf-8",
                bytes: PackageResources.page_css),
        ]

        /// Returns a script without indentation, empty lines, lines that contain only a comment, spaces next to
        /// punctuation, line breaks after semicolons, commas and braces, and semicolons at the end of a block. If
        /// a line begins with `const`, this word is replaced with `let`.
        ///
        /// In the script, each statement that does not end with a block must end with a semicolon, and no operand of
        /// `+` or `-` may begin with a sign.
        static func script(_ source: [UInt8]) -> [UInt8] {
            let lines = source.split(separator: UInt8(ascii: "\n")).map { line in
                let line = line.drop { $0 == UInt8(ascii: " ") }
                return line.starts(with: "const ".utf8) ? "let".utf8 + line.dropFirst(5) : line
            }
            let shownLines = lines.filter { line in
                !line.isEmpty && !line.starts(with: "//".utf8) && !line.starts(with: "/**".utf8)
            }
            return shownLines.map(compact).reduce(into: []) { script, line in
                if script.last == UInt8(ascii: ";"), line.first == UInt8(ascii: "}") {
                    script.removeLast()
                } else if let last = script.last, !";,{}".utf8.contains(last) {
                    script.append(UInt8(ascii: "\n"))
                }
                script += line
            }
        }

        private static let punctuation = "=,;{}():?&|<>[]*!+-".utf8

        /// Returns a line without the spaces next to punctuation, except for spaces in string literals.
        private static func compact(_ line: ArraySlice<UInt8>) -> [UInt8] {
            var result: [UInt8] = []
            var quote: UInt8?
            for byte in line {
                if quote != nil {
                    if byte == quote { quote = nil }
                } else {
                    if byte == UInt8(ascii: " "), let last = result.last,
                        punctuation.contains(last)
                    {
                        continue
                    }
                    if punctuation.contains(byte), result.last == UInt8(ascii: " ") {
                        result.removeLast()
                    }
                    if byte == UInt8(ascii: "}"), result.last == UInt8(ascii: ";") {
                        result.removeLast()
                    }
                    if "\"'`".utf8.contains(byte) { quote = byte }
                }
                result.append(byte)
            }
            return result
        }

        var response: Response {
            Response(
                status: .ok, headers: [.contentType: contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
#endif

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
        /// punctuation, and line breaks after semicolons, commas and opening braces.
        static func script(_ source: [UInt8]) -> [UInt8] {
            let lines = source.split(separator: UInt8(ascii: "\n")).map { line in
                line.drop { $0 == UInt8(ascii: " ") }
            }
            let shownLines = lines.filter { line in
                !line.isEmpty && !line.starts(with: "//".utf8) && !line.starts(with: "/**".utf8)
            }
            return shownLines.map(compact).reduce(into: []) { script, line in
                if let last = script.last, !";,{".utf8.contains(last) {
                    script.append(UInt8(ascii: "\n"))
                }
                script += line
            }
        }

        /// Returns a line without the spaces next to punctuation, except for spaces in string literals.
        private static func compact(_ line: ArraySlice<UInt8>) -> [UInt8] {
            var result: [UInt8] = []
            var quote: UInt8?
            for byte in line {
                if quote != nil {
                    if byte == quote { quote = nil }
                } else {
                    if byte == UInt8(ascii: " "), let last = result.last,
                        "=,;{}():?&|<>[]*!".utf8.contains(last)
                    {
                        continue
                    }
                    if "=,;{}():?&|<>[]*!".utf8.contains(byte), result.last == UInt8(ascii: " ") {
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

import SystemPackage

/// The checkout that contains these tests.
enum Repository {
    /// The directory that contains `Package.swift`.
    static let directory = FilePath(#filePath)
        .removingLastComponent().removingLastComponent().removingLastComponent()

    /// The script that creates and boots containers.
    static let containerScript = directory.appending("script/container")

    /// Returns the indented commands below the line `<!-- tried: NAME -->` in a document.
    static func commands(_ name: String, in document: String) throws -> String {
        try text(of: document).split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != "<!-- tried: \(name) -->" }.dropFirst()
            .prefix { $0.hasPrefix("    ") }
            .map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    /// Returns the text of a file in the checkout.
    static func text(of path: String) throws -> String {
        let file = try FileDescriptor.open(directory.appending(path), .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = try piece.withUnsafeMutableBytes({ try file.read(into: $0) }),
                count > 0
            {
                bytes += piece[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

package import LinuxIO

/// Reads the generations of an application, on whatever thread.
package struct HistoryReader: Sendable {
    let history: History?
    let path: String
    let limit: Int
    let bundleIdentifier: String

    /// The generations, the oldest first. Whatever else lies in their folder is left out.
    package func generations() throws(IOError) -> [KeptGeneration] {
        try history?.generations() ?? []
    }

    /// Reads a generation, and checks every byte of it.
    ///
    /// One that is torn or damaged is read up to the last complete pass before that.
    ///
    /// - Parameter name: its number, with or without the zeros in front.
    /// - Throws: ``KeptStateError``; one that is damaged has no complete pass.
    package func contents(of name: String) throws(KeptStateError) -> KeptContents {
        guard let history else { throw .unknown(name: name, in: path) }
        return try history.contents(
            of: name, limit: limit, bundleIdentifier: bundleIdentifier)
    }
}

extension ApplicationArchive {
    /// What reads the generations that there are now, and those that come if there are any.
    package func historyReader() throws(IOError) -> HistoryReader {
        HistoryReader(
            history: try history(), path: historyPath, limit: limit,
            bundleIdentifier: bundleIdentifier)
    }

    /// The generations, see ``HistoryReader/generations()``.
    package func generations() throws(IOError) -> [KeptGeneration] {
        try historyReader().generations()
    }

    /// Reads a generation, see ``HistoryReader/contents(of:)``.
    package func contents(ofGeneration name: String) throws(KeptStateError) -> KeptContents {
        let reader: HistoryReader
        do throws(IOError) { reader = try historyReader() } catch { throw .io(error) }
        return try reader.contents(of: name)
    }

    /// The same of a generation whose path was told when it was made.
    package func contents(ofGenerationAt path: String) throws(KeptStateError) -> KeptContents {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        guard let name = GenerationName(file: file) else {
            throw .unknown(name: path, in: historyPath)
        }
        return try contents(ofGeneration: name.description)
    }
}

package import LinuxIO

/// What became of the generations that were too many.
package struct PrunedGenerations: Sendable, Equatable {
    /// The names of those that were removed, the oldest first.
    package var removed: [GenerationName] = []
    /// Why something could not be removed, or looked at; nil: everything could.
    package var failure: IOError?
}

extension History {
    /// Removes the oldest generations as long as there are more than so many, or as they have more bytes
    /// together; never the newest one.
    ///
    /// One that cannot be removed counts as gone: the others do not have to give way to it. Nothing is
    /// made durable, because what comes back after a power cut is removed the next time; and so is a
    /// reason without a generation.
    func prune(count: Int, bytes: Int) throws(IOError) -> PrunedGenerations {
        var pruned = PrunedGenerations()
        let all = try folder.names()
        let files = all.compactMap { GenerationName(file: $0) }.sorted()
        var kept = files.compactMap { name in status(of: name.file).map { (name, $0.size) } }[...]
        var byteCount = kept.reduce(0) { $0 + $1.1 }
        while kept.count > 1, kept.count > count || byteCount > bytes {
            let (name, size) = kept.removeFirst()
            byteCount -= size
            if remove(name.file, &pruned) { pruned.removed.append(name) }
        }
        let gone = Set(pruned.removed)
        let present = Set(files).subtracting(gone)
        for name in all where name.hasSuffix(Self.reasonSuffix) {
            let file = String(name.dropLast(Self.reasonSuffix.count))
            guard let generation = GenerationName(file: file), !present.contains(generation)
            else { continue }
            _ = remove(name, &pruned)
        }
        return pruned
    }

    /// Removes a generation that nobody needs after all.
    func remove(_ name: GenerationName) throws(IOError) {
        try folder.remove(name.file)
        try folder.remove(name.file + Self.reasonSuffix)
    }

    private func remove(_ file: String, _ pruned: inout PrunedGenerations) -> Bool {
        do throws(IOError) {
            return try folder.remove(file)
        } catch {
            pruned.failure = error
            return false
        }
    }
}

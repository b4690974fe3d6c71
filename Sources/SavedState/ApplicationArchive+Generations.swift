import LinuxIO

extension ApplicationArchive {
    /// What is saved now has to be kept as a generation before anything more is written.
    ///
    /// What could not be saved yet is part of it. Nothing is made here: the next write does, and
    /// fails if it cannot, so that what is to be kept is not lost.
    package func oweGeneration() throws(SaveError) {
        let image = try loadedImage()
        guard image.owedGeneration == nil else { return }
        image.owedGeneration = image.pending ? .state(try wholeBytes(of: image)) : .file
    }

    /// Keeps what is saved now as a generation, durably: a copy with a name of its own. What could not
    /// be saved yet is part of it.
    ///
    /// For something that is not done if that fails; so nothing is owed then that was not owed before.
    ///
    /// - Returns: the generation's path; `nil` if nothing is saved, and none was made.
    /// - Throws: why it could not be made. What was saved is untouched.
    package func keepGeneration() throws(SaveError) -> String? {
        let image = try loadedImage()
        try payOwedGeneration(of: image)
        let state: OwedGeneration = image.pending ? .state(try wholeBytes(of: image)) : .file
        do throws(IOError) {
            return try make(state)
        } catch {
            throw .io(error)
        }
    }

    /// Whether a generation has to be made before anything is written.
    package var owesGeneration: Bool {
        if case .loaded(let image) = phase { image.owedGeneration != nil } else { false }
    }

    /// Makes the generation that is owed; it is owed no longer when this returns.
    ///
    /// - Returns: its path; `nil` if none is owed, or if there is no file to copy.
    /// - Throws: why it could not be made; it stays owed.
    package func makeOwedGeneration() throws(SaveError) -> String? {
        try payOwedGeneration(of: loadedImage())
    }

    @discardableResult
    func payOwedGeneration(of image: ArchiveImage) throws(SaveError) -> String? {
        guard let owed = image.owedGeneration else { return nil }
        do throws(IOError) {
            let path = try make(owed)
            image.owedGeneration = nil
            return path
        } catch {
            throw .io(error)
        }
    }

    private func make(_ owed: OwedGeneration) throws(IOError) -> String? {
        switch owed {
        case .state(let bytes):
            return try History(in: openOrMakeFolder()).keep(bytes)
        case .file:
            guard let folder = try folder(),
                let bytes = try folder.read(Self.fileName, limit: limit)
            else { return nil }
            return try History(in: folder).keep(bytes)
        }
    }

    /// The bytes of an archive of everything that is in memory: newer than the file, and not newer than
    /// what is written next.
    func wholeBytes(of image: ArchiveImage) throws(SaveError) -> [UInt8] {
        let entries = image.store.wholeEntries()
        try checkLength(of: entries)
        let end = (image.namedFile?.end.sequence ?? image.sequence) + 1
        let count = UInt64(entries.count)
        let whole = ArchiveEncoder.whole(
            entries, bundleIdentifier: bundleIdentifier, after: end > count ? end - count : 0)
        image.sequence = max(image.sequence, whole.end.sequence)
        return whole.bytes
    }
}

/// A generation that has to be made before anything is written.
enum OwedGeneration {
    /// A copy of the file as it is.
    case file
    /// The archive that these bytes are, because the file lacked what was pending.
    case state([UInt8])
}

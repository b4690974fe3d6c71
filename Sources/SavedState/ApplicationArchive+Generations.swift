import LinuxIO

extension ApplicationArchive {
    /// What is saved now has to be kept as a generation before anything more is written.
    ///
    /// What could not be saved yet is part of it. Nothing is made here: the next write does, and
    /// fails if it cannot, so that what is to be kept is not lost.
    ///
    /// - Parameter reason: a clause that tells why.
    package func requireGeneration(because reason: String) throws(SaveError) {
        let image = try loadedImage()
        guard image.requiredGeneration == nil else { return }
        image.requiredGeneration = image.pending ? .state(try wholeBytes(of: image)) : .file
        requiredGenerationReason = reason
    }

    /// Keeps what is in memory as a generation, durably, whatever became of the file.
    ///
    /// Nothing is required then that was not required before, and one that was is made first.
    ///
    /// - Parameter reason: a clause that tells why.
    /// - Returns: the generation's path; `nil` if nothing is saved, and none was made.
    /// - Throws: why it could not be made. What was saved is untouched.
    @discardableResult
    package func makeGeneration(because reason: String) throws(SaveError) -> String? {
        let image = try loadedImage()
        try makeRequiredGeneration(of: image)
        if image.store.count == 0 { return nil }
        let state = try wholeBytes(of: image)
        newestGeneration = nil
        do throws(IOError) {
            return try History(in: openOrMakeFolder()).keep(state, because: reason)
        } catch {
            throw .io(error)
        }
    }

    /// Keeps what is in memory as ``makeGeneration(because:)`` does, unless the newest generation has
    /// just that: only the times of passes may differ.
    package func makeGenerationIfChanged(because reason: String) throws(SaveError) -> String? {
        let image = try loadedImage()
        let state = image.store.contents(closed: false, sequence: 0).digest
        if !isGenerationRequired, try newestDigest() == state { return nil }
        let path = try makeGeneration(because: reason)
        do throws(IOError) {
            newestGeneration = try history()?.names().last.map { ($0, state) }
        } catch {
            newestGeneration = nil
        }
        return path
    }

    /// Whether a generation has to be made before anything is written.
    package var isGenerationRequired: Bool {
        if case .loaded(let image) = phase { image.requiredGeneration != nil } else { false }
    }

    /// Makes the generation that is required; it is required no longer when this returns.
    ///
    /// - Returns: its path; `nil` if none is required, or if there is no file to copy.
    /// - Throws: why it could not be made; it stays required.
    package func makeRequiredGeneration() throws(SaveError) -> String? {
        try makeRequiredGeneration(of: loadedImage())
    }

    // MARK: Those that are there

    /// Removes a generation that was made for something that was not done after all.
    ///
    /// - Parameter path: what ``makeGeneration(because:)`` gave.
    package func removeGeneration(at path: String) {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        guard let name = GenerationName(file: file) else { return }
        newestGeneration = nil
        do throws(IOError) { try history()?.remove(name) } catch {}
    }

    /// Removes the oldest generations as long as there are more than so many, or as they have more bytes
    /// together; never the newest one. Call it when one was made.
    ///
    /// - Returns: what was removed, and what could not be, which is tried again the next time.
    package func pruneGenerations(count: Int, bytes: Int) -> PrunedGenerations {
        do throws(IOError) {
            return try history()?.prune(count: count, bytes: bytes) ?? PrunedGenerations()
        } catch {
            return PrunedGenerations(failure: error)
        }
    }

    /// The path of the folder that the generations lie in, whether it exists or not.
    package var historyPath: String {
        "\(path.dropLast(Layout.archive.utf8.count + 1))/\(History.name)"
    }

    /// The folder of the generations; nil if there is none.
    func history() throws(IOError) -> History? {
        guard let folder = try folder() else { return nil }
        return try History(existingIn: folder)
    }

    /// What the newest generation holds, as a digest; nil if there is none that can be used wholly.
    private func newestDigest() throws(SaveError) -> UInt64? {
        let newest: GenerationName?
        do throws(IOError) {
            newest = try history()?.names().last
        } catch {
            throw .io(error)
        }
        guard let newest else { return nil }
        if let known = newestGeneration, known.name == newest { return known.digest }
        do throws(KeptStateError) {
            let kept = try contents(ofGeneration: "\(newest)")
            guard kept.shortfall == nil else { return nil }
            newestGeneration = (newest, kept.contents.digest)
            return newestGeneration?.digest
        } catch {
            return nil
        }
    }

    // MARK: Making

    @discardableResult
    func makeRequiredGeneration(of image: ArchiveImage) throws(SaveError) -> String? {
        guard let required = image.requiredGeneration else { return nil }
        do throws(IOError) {
            let path = try make(required)
            image.requiredGeneration = nil
            return path
        } catch {
            throw .io(error)
        }
    }

    private func make(_ required: RequiredGeneration) throws(IOError) -> String? {
        switch required {
        case .state(let bytes):
            return try History(in: openOrMakeFolder()).keep(
                bytes, because: requiredGenerationReason)
        case .file:
            guard let folder = try folder(),
                let bytes = try folder.read(Layout.archive, limit: limit)
            else { return nil }
            return try History(in: folder).keep(bytes, because: requiredGenerationReason)
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

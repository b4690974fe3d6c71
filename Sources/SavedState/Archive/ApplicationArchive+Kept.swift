import Glibc
package import LinuxIO

// Generations, and what lies in quarantine.

extension ApplicationArchive {
    // MARK: Making generations

    /// What is saved now has to be kept as a generation before anything more is written.
    ///
    /// What could not be saved yet is part of it. Nothing is made here: the next write does, and
    /// fails if it cannot, so that what is to be kept is not lost.
    ///
    /// - Parameter reason: a clause that tells why.
    package func requireGeneration(because reason: String) throws(SaveError) {
        try checkLoaded()
        if isGenerationRequired { return }
        let state = log.isPending ? try wholeBytes() : nil
        history.require(Generations.Required(state: state, reason: reason))
    }

    /// Whether a generation has to be made before anything is written.
    package var isGenerationRequired: Bool { history.required != nil }

    /// Why a generation is required; a clause, empty if none is.
    package var requiredGenerationReason: String { history.required?.reason ?? "" }

    /// Makes the generation that is required; it is required no longer when this returns.
    ///
    /// - Returns: its path; `nil` if none is required, or if there is no file to copy.
    /// - Throws: why it could not be made; it stays required.
    @discardableResult
    package func makeRequiredGeneration() throws(SaveError) -> String? {
        try checkLoaded()
        guard let required = history.required else { return nil }
        do throws(IOError) {
            var path: String?
            if let state = required.state {
                path = try keep(state, in: openOrMakeFolder(), because: required.reason)
            } else if let folder = try place.folder(),
                let bytes = try folder.read(Layout.archive, limit: place.limit)
            {
                path = try keep(bytes, in: folder, because: required.reason)
            }
            history.noteRequiredMade()
            return path
        } catch {
            throw .io(error)
        }
    }

    /// Keeps what is in memory as a generation, durably, whatever became of the file. One that is
    /// required is made first.
    ///
    /// - Parameter reason: a clause that tells why.
    /// - Returns: the generation's path; `nil` if nothing is saved, and none was made.
    /// - Throws: why it could not be made. What was saved is untouched.
    @discardableResult
    package func makeGeneration(because reason: String) throws(SaveError) -> String? {
        try makeRequiredGeneration()
        if store.count == 0 { return nil }
        let state = try wholeBytes()
        history.noteChanged()
        do throws(IOError) {
            let path = try keep(state, in: openOrMakeFolder(), because: reason)
            history.noteMade(at: path, store.digest())
            return path
        } catch {
            throw .io(error)
        }
    }

    /// The path of the newest generation, if it holds just what is in memory: only the times of passes may
    /// differ. Nil as well if that cannot be found out, or another one has to be made first.
    package func unchangedGeneration() -> String? {
        store.count == 0 ? nil : history.newest(with: store.digest(), at: place)
    }

    func keep(
        _ bytes: [UInt8], in folder: any Folder, because reason: String
    ) throws(IOError) -> String {
        let history = try NumberedFolder(.history, in: folder)
        return history.path(of: try history.keep(bytes, because: reason))
    }

    /// The bytes of an archive of everything that is in memory.
    func wholeBytes() throws(SaveError) -> [UInt8] {
        let entries = store.wholeEntries()
        try log.checkLength(of: entries)
        return log.encodeCopy(entries)
    }

    // MARK: Generations that are there

    /// What reads the generations that there are now, and those that come if there are any.
    package func historyReader() throws(IOError) -> HistoryReader { try HistoryReader(at: place) }

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
        guard let name = GenerationName(path: path) else {
            throw .unknown(name: path, in: place.historyPath)
        }
        return try contents(ofGeneration: name.description)
    }

    /// Removes a generation that was made for something that was not done after all.
    ///
    /// - Parameter path: what ``makeGeneration(because:)`` gave.
    package func removeGeneration(at path: String) {
        guard let name = GenerationName(path: path) else { return }
        history.noteChanged()
        do throws(IOError) { try kept(.history)?.remove(name.file) } catch {}
    }

    /// Removes the oldest generations as long as there are more than so many, or as they have more bytes
    /// together; never the newest one. Call it when one was made.
    ///
    /// - Returns: what was removed, by name, and what could not be, which is tried again the next time.
    package func pruneGenerations(count: Int, bytes: Int) -> PrunedFiles {
        var pruned = prune(.history, count: count, bytes: bytes)
        pruned.removed = pruned.removed.compactMap { GenerationName(file: $0)?.description }
        return pruned
    }

    // MARK: Quarantine

    /// Puts a copy of what is saved of a scene into quarantine, durably: an archive of that scene alone
    /// (L2). What could not be saved yet is part of it.
    ///
    /// The scene stays in the archive; take it out with ``removal(ofScene:)`` then.
    ///
    /// - Parameters:
    ///   - scene: the number of the scene's record.
    ///   - reason: a sentence.
    /// - Returns: its name in quarantine; nil if the archive has no such scene.
    package func quarantineScene(
        _ scene: UInt32, reason: String
    ) throws(SaveError) -> String? {
        try checkLoaded()
        guard let record = store[scene], record.header.parent == 0 else { return nil }
        let records = store.wholeEntries(of: [scene])
        try log.checkLength(of: records)
        let bytes = log.encodeWhole(records).bytes
        do throws(IOError) {
            return try NumberedFolder(.quarantine, in: openOrMakeFolder()).keep(
                bytes, as: NumberedName.suffix(for: record.header.identifier), because: reason)
        } catch {
            throw .io(error)
        }
    }

    /// A turn that takes a scene out of the archive, with everything below it.
    package func removal(ofScene scene: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addRemoval(scene)
        turn.endPass(PassEnd(scene: 0, timestamp: 0))
        return turn
    }

    /// Takes copies away again that ``quarantineScene(_:reason:)`` has made, because the scenes keep their
    /// state after all.
    ///
    /// - Parameter names: what that gave.
    package func removeQuarantined(_ names: [String]) {
        do throws(IOError) {
            guard let quarantine = try kept(.quarantine) else { return }
            for name in names { try quarantine.remove(name) }
        } catch {
            log.incidents.append(.leftover(error))
        }
    }

    /// Keeps the bytes of a replacing archive in quarantine; returns their path. Durable on return.
    ///
    /// - Parameter reason: a sentence.
    package func quarantine(
        _ replacing: ReplacingArchive, reason: String
    ) throws(IOError) -> String {
        let quarantine = try NumberedFolder(.quarantine, in: openOrMakeFolder())
        return quarantine.path(
            of: try quarantine.keep(replacing.bytes, as: Layout.archive, because: reason))
    }

    /// Moves another program's file from the archive's name to quarantine; returns its new path.
    func quarantineForeignFile(
        in folder: any Folder, because reason: String
    ) throws(IOError) -> String {
        let quarantine = try NumberedFolder(.quarantine, in: folder)
        return quarantine.path(
            of: try quarantine.take(
                Layout.archive, as: Layout.archive,
                because: "Another program changed or replaced the archive: \(reason)."))
    }

    /// Copies a file with a torn end to quarantine, because it is about to go.
    func quarantineTornCopy(in folder: any Folder) throws(IOError) {
        guard let torn else { return }
        let leftover = try torn.quarantine(in: folder)
        self.torn = nil
        if let leftover { log.incidents.append(.leftover(leftover)) }
    }

    /// What lies in quarantine, in the order of the numbers.
    ///
    /// Whatever somebody put there is listed, by its kind; a reason that cannot be read is none.
    package func quarantined() throws(IOError) -> [KeptFile] {
        try kept(.quarantine)?.list() ?? []
    }

    /// Reads what lies in quarantine under a name, and checks every byte of it.
    ///
    /// One that is torn or damaged is read up to the last complete pass before that.
    ///
    /// - Throws: ``KeptStateError``; one that is damaged has no complete pass.
    package func contents(ofQuarantined name: String) throws(KeptStateError) -> KeptContents {
        let quarantine: NumberedFolder?
        do throws(IOError) { quarantine = try kept(.quarantine) } catch { throw .io(error) }
        guard let bytes = try quarantine?.read(name, limit: place.limit) else {
            throw .unknown(name: name, in: quarantinePath(of: ""))
        }
        return try KeptContents(
            bytes, path: quarantinePath(of: name), bundleIdentifier: bundleIdentifier)
    }

    /// The path of something in quarantine.
    package func quarantinePath(of name: String) -> String { place.quarantinePath(of: name) }

    /// Removes the oldest files in quarantine as long as there are more than so many, or as they have more
    /// bytes together; never the newest one, and nothing that has no number. Call it when something was
    /// put there.
    ///
    /// - Parameter names: those that may still be put back, and stay, although they count.
    /// - Returns: what was removed, by name, and what could not be, which is tried again the next time.
    package func pruneQuarantine(
        count: Int, bytes: Int, keeping names: Set<String> = []
    ) -> PrunedFiles {
        prune(.quarantine, count: count, bytes: bytes, keeping: names)
    }

    private func prune(
        _ kind: NumberedFolder.Kind, count: Int, bytes: Int, keeping names: Set<String> = []
    ) -> PrunedFiles {
        do throws(IOError) {
            return try kept(kind)?.prune(count: count, bytes: bytes, keeping: names)
                ?? PrunedFiles()
        } catch {
            return PrunedFiles(failure: error)
        }
    }

    /// The folder with what is kept; nil if there is none.
    private func kept(_ kind: NumberedFolder.Kind) throws(IOError) -> NumberedFolder? {
        try NumberedFolder(kind, existingIn: place.folder())
    }
}

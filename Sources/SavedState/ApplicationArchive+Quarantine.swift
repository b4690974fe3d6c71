import LinuxIO

extension ApplicationArchive {
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
        let image = try loadedImage()
        guard let record = image.store[scene], record.header.parent == 0 else { return nil }
        let records = image.store.wholeEntries(of: [scene])
        try checkLength(of: records)
        let bytes = image.encodeWhole(records, bundleIdentifier: bundleIdentifier).bytes
        do throws(IOError) {
            let folder = try openOrMakeFolder()
            return try Quarantine(in: folder).keepScene(
                bytes, named: record.header.identifier, reason: reason)
        } catch {
            throw .io(error)
        }
    }

    /// Takes copies away again that ``quarantineScene(_:reason:)`` has made, because the scenes keep their
    /// state after all.
    ///
    /// - Parameter names: what that gave.
    package func removeQuarantined(_ names: [String]) {
        guard case .loaded(let image) = phase else { return }
        do throws(IOError) {
            guard let quarantine = try quarantineFolder() else { return }
            for name in names {
                try quarantine.remove(name)
                try quarantine.remove(name + Quarantine.reasonSuffix)
            }
        } catch {
            image.incidents.append(.leftover(error))
        }
    }

    /// Reads what lies in quarantine under a name, and checks every byte of it.
    ///
    /// One that is torn or damaged is read up to the last complete pass before that.
    ///
    /// - Throws: ``KeptStateError``; one that is damaged has no complete pass.
    package func contents(
        ofQuarantined name: String
    ) throws(KeptStateError) -> KeptContents {
        try KeptContents(
            quarantinedBytes(name), path: quarantinePath(of: name),
            bundleIdentifier: bundleIdentifier)
    }

    /// The path of something in quarantine.
    package func quarantinePath(of name: String) -> String {
        let folder = path.dropLast(Layout.archive.utf8.count + 1)
        return "\(folder)/\(Quarantine.name)/\(name)"
    }

    func quarantineFolder() throws(IOError) -> (any Folder)? {
        try folder()?.subfolder(Quarantine.name)
    }

    private func quarantinedBytes(_ name: String) throws(KeptStateError) -> [UInt8] {
        var found: FileKind?
        do throws(IOError) {
            // Only what is listed: a name may not lead elsewhere.
            if let quarantine = try quarantineFolder(), !name.hasSuffix(Quarantine.reasonSuffix),
                try quarantine.names().contains(name)
            {
                found = try quarantine.entryStatus(of: name)?.kind
                if found == .file, let bytes = try quarantine.read(name, limit: limit) {
                    return bytes
                }
            }
        } catch {
            throw .io(error)
        }
        if let found, found != .file {
            throw .noFile(path: quarantinePath(of: name), kind: found)
        }
        throw .unknown(name: name, in: quarantinePath(of: ""))
    }
}

import Glibc
package import LinuxIO

/// Something that lies in quarantine.
package struct QuarantinedState: Sendable, Equatable {
    /// Its name there: `000002-main.archive`.
    package var name: String
    /// Its path.
    package var path: String
    /// Why it is there; nil if nobody left a reason.
    package var reason: String?
    /// When it was put there, going by the file with the reason: microseconds since 1970, UTC.
    package var time: Int64?
    /// How many bytes it has.
    package var byteCount: Int
}

extension ApplicationArchive {
    /// The most bytes of a reason that are read.
    private static let mostReasonBytes = 64 << 10

    /// What lies in quarantine, in the order of the numbers.
    package func quarantined() throws(IOError) -> [QuarantinedState] {
        guard let quarantine = try quarantineFolder() else { return [] }
        let suffix = Quarantine.reasonSuffix
        var all: [QuarantinedState] = []
        for name in try quarantine.names() where !name.hasSuffix(suffix) {
            guard let status = try quarantine.status(of: name), status.mode & S_IFMT == S_IFREG
            else { continue }
            let reason = try quarantine.read(name + suffix, limit: Self.mostReasonBytes)
            all.append(
                QuarantinedState(
                    name: name, path: quarantinePath(of: name),
                    reason: reason.map { bytes in
                        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
                    }, time: try quarantine.status(of: name + suffix)?.modified,
                    byteCount: status.size))
        }
        return all
    }

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
        let bytes = image.encodeWhole(records, bundleIdentifier: bundleIdentifier).bytes
        do throws(IOError) {
            let folder = try openOrMakeFolder()
            return try Quarantine(in: folder).keepScene(
                bytes, named: record.header.identifier, reason: reason)
        } catch {
            throw .io(error)
        }
    }

    /// Makes everything durable that was appended, before it returns.
    ///
    /// - Throws: why it is not; what is in memory is pending then.
    package func synchronize() throws(SaveError) {
        let image = try loadedImage()
        if !image.durability.isComplete { try synchronizeNow(image) }
    }

    /// A turn that takes a scene out of the archive, with everything below it.
    package func removal(ofScene scene: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addRemoval(scene)
        turn.endPass(PassEnd(scene: 0, timestamp: 0))
        return turn
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
        let folder = path.dropLast(Self.fileName.utf8.count + 1)
        return "\(folder)/\(Quarantine.name)/\(name)"
    }

    private func quarantineFolder() throws(IOError) -> (any Folder)? {
        try folder()?.subfolder(Quarantine.name)
    }

    private func quarantinedBytes(_ name: String) throws(KeptStateError) -> [UInt8] {
        do throws(IOError) {
            // Only what is listed: a name may not lead elsewhere.
            if let quarantine = try quarantineFolder(), !name.hasSuffix(Quarantine.reasonSuffix),
                try quarantine.names().contains(name),
                let bytes = try quarantine.read(name, limit: limit)
            {
                return bytes
            }
        } catch {
            throw .io(error)
        }
        throw .unknown(name: name, in: quarantinePath(of: ""))
    }
}

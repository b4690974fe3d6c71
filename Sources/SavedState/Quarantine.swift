import LinuxIO

/// The folder in an application's folder where refused or damaged state goes, with its reason.
///
/// A file is named by a number, one higher than the highest there, and its old name; its reason
/// lies beside it under the same name and `.reason`, as a line of text. Nothing here is replaced, and
/// only copies are removed whose state lives on: the oldest of torn archives, and those of scenes that kept
/// their state after all.
struct Quarantine {
    static let name = "quarantine"
    static let reasonSuffix = ".reason"

    private let applicationFolder: any Folder
    private let folder: any Folder

    init(in applicationFolder: any Folder) throws(IOError) {
        self.applicationFolder = applicationFolder
        folder = try applicationFolder.makeSubfolder(Self.name)
        // Even if it was there: the attempt that made it may have failed to make it durable.
        try applicationFolder.synchronize()
    }

    /// Moves a file of the application's folder here; returns its new path. Durable on return.
    ///
    /// - Parameter shown: what its name ends in here; nil: its name.
    func take(_ name: String, as shown: String? = nil, reason: String) throws(IOError) -> String {
        let newName = try nextName(for: shown ?? name)
        try writeReason(reason, newName)
        try applicationFolder.rename(name, to: "\(Self.name)/\(newName)")
        // The new name first: a power cut between the two may leave both, but never none.
        try folder.synchronize()
        try applicationFolder.synchronize()
        return "\(folder.path)/\(newName)"
    }

    /// Keeps bytes under a new name; returns its path. Durable on return.
    @discardableResult
    func keep(_ bytes: [UInt8], of name: String, reason: String) throws(IOError) -> String {
        let newName = try nextName(for: name)
        try writeReason(reason, newName)
        try folder.writeNew(newName, bytes)
        try folder.synchronize()
        return "\(folder.path)/\(newName)"
    }

    /// Keeps a copy of an archive with a torn end, durably, and removes the oldest of such copies.
    ///
    /// - Parameter reason: a clause.
    /// - Returns: why the oldest stay, which is no reason to save nothing; nil: they do not.
    func quarantineTornCopy(
        _ bytes: [UInt8], of name: String, reason: String
    ) throws(IOError) -> IOError? {
        try keep(bytes, of: name, reason: "\(Self.tornPrefix)\(reason).")
        do throws(IOError) {
            try removeOldTorn(name)
            return nil
        } catch {
            return error
        }
    }

    /// What the reason of a copy of a torn archive begins with.
    private static let tornPrefix = "torn tail: "
    /// How many such copies stay.
    static let mostTorn = 16

    private func removeOldTorn(_ name: String) throws(IOError) {
        var torn: [String] = []
        for kept in try folder.names() where kept.hasSuffix("-\(name)") {
            if try isTorn(kept) { torn.append(kept) }
        }
        torn.sort { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        for old in torn.dropLast(Self.mostTorn) {
            try folder.remove(old)
            try folder.remove(old + Self.reasonSuffix)
        }
    }

    private func isTorn(_ name: String) throws(IOError) -> Bool {
        guard let file = try folder.openForAppending(name + Self.reasonSuffix) else { return false }
        let prefix = Array(Self.tornPrefix.utf8)
        return try file.read(upTo: prefix.count) == prefix
    }

    /// Keeps the archive of one scene under a new name that tells the scene's; returns it. Durable on
    /// return.
    func keepScene(
        _ bytes: [UInt8], named scene: String, reason: String
    ) throws(IOError) -> String {
        // A number, and the reason's suffix, have to fit into the 255 bytes of a name.
        var shown = String(scene.unicodeScalars.map { Self.mayStand($0) ? Character($0) : "_" })
        while shown.utf8.count > 200 { shown.removeLast() }
        let name = try nextName(for: "\(shown).archive")
        try writeReason(reason, name)
        try folder.writeNew(name, bytes)
        try folder.synchronize()
        return name
    }

    /// Whether a name in the folder may hold this: what was read may be anything.
    private static func mayStand(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "/" && scalar.value >= 0x20 && scalar.value != 0x7F
    }

    private func nextName(for name: String) throws(IOError) -> String {
        NumberedName.next(after: try folder.names(), suffix: "-\(name)")
    }

    private func writeReason(_ reason: String, _ name: String) throws(IOError) {
        try folder.writeNew("\(name)\(Self.reasonSuffix)", Array("\(reason)\n".utf8))
    }
}

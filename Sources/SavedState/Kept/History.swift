import Glibc
import LinuxIO

/// The folder in an application's folder that holds its generations.
///
/// A generation is named by a number, one higher than the highest there. Each is a file of its own,
/// never another name of the archive's file. Why it was made lies beside it under the same name and
/// `.reason`, as a line of text; it is for people, and a generation without it is as good.
struct History: Sendable {
    static let name = "history"
    static let reasonSuffix = ".reason"
    static let temporaryName = "archive.new"

    private let applicationFolder: any Folder
    let folder: any Folder

    /// Makes the folder, durably, unless it is there.
    init(in applicationFolder: any Folder) throws(IOError) {
        self.applicationFolder = applicationFolder
        folder = try applicationFolder.makeSubfolder(Self.name)
        // Even if it was there: the attempt that made it may have failed to make it durable.
        try applicationFolder.synchronize()
    }

    /// The folder as it is; nil if there is none.
    init?(existingIn applicationFolder: any Folder) throws(IOError) {
        guard let folder = try applicationFolder.subfolder(Self.name) else { return nil }
        self.applicationFolder = applicationFolder
        self.folder = folder
    }

    /// Makes a generation of these bytes; returns its path. Durable on return.
    func keep(_ bytes: [UInt8], because reason: String) throws(IOError) -> String {
        let name = try nextName()
        leaveReason(reason, of: name)
        try folder.replace(name, with: bytes, temporary: Self.temporaryName)
        return path(of: name)
    }

    /// Moves a file of the application's folder here; returns its new path. Durable on return.
    func take(_ file: String, because reason: String) throws(IOError) -> String {
        let name = try nextName()
        leaveReason(reason, of: name)
        try applicationFolder.rename(file, to: "\(Self.name)/\(name)")
        // The new name first: a power cut between the two may leave both, but never none.
        try folder.synchronize()
        try applicationFolder.synchronize()
        return path(of: name)
    }

    /// The path of a file here.
    func path(of file: String) -> String { "\(folder.path)/\(file)" }

    /// One higher than the highest there. A reason that nothing came of gives way: its number is not
    /// taken.
    private func nextName() throws(IOError) -> String {
        let number = (try names().last?.number ?? 0) + 1
        guard let name = GenerationName(number: number) else {
            throw IOError(.create, path: path(of: "\(number)"), code: EOVERFLOW)
        }
        return name.file
    }

    /// What is to be kept must not be lost for want of a line about it, so a failure is no error; what
    /// is left of the line then is not read.
    private func leaveReason(_ reason: String, of name: String) {
        let line = reason.map { $0.isNewline ? " " : $0 }
        do throws(IOError) {
            try folder.remove(name + Self.reasonSuffix)
            try folder.writeNew(name + Self.reasonSuffix, Array("\(String(line))\n".utf8))
        } catch {}
    }
}

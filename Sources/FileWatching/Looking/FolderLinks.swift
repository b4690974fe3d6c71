import Glibc
internal import SystemPackage

/// The symbolic links among a folder's entries.
enum FolderLinks {
    /// Lists those whose names end with a suffix; none if the folder is gone.
    ///
    /// - Throws: `EMLINK` if there are more than ``FileTarget/mostLinks``.
    static func names(
        in folder: FilePath, suffix: [UInt8]
    ) throws(FileWatchError) -> [FilePath.Component] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else {
            let reason = Errno(rawValue: errno)
            if reason == .noSuchFileOrDirectory || reason == .notDirectory { return [] }
            throw FileWatchError(.list, folder, reason)
        }
        defer { closedir(stream) }
        var names: [FilePath.Component] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return names }
                throw FileWatchError(.list, folder, Errno(rawValue: errno))
            }
            let type = CInt(entry.pointee.d_type)
            guard type == CInt(DT_LNK) || type == CInt(DT_UNKNOWN) else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            guard name.suffix(suffix.count) == suffix[...], let name = FilePath.Component(name)
            else { continue }
            if type == CInt(DT_UNKNOWN) {
                guard try FoundFile.at(folder.appending(name))?.kind == .link else { continue }
            }
            if names.count == FileTarget.mostLinks {
                throw FileWatchError(.followLinks, folder, .tooManyLinks)
            }
            names.append(name)
        }
    }
}

extension FilePath.Component {
    /// A name of these bytes, whatever their encoding; nil if they are no name.
    init?(_ bytes: [UInt8]) {
        self.init(platformString: bytes.map { CInterop.PlatformChar(bitPattern: $0) } + [0])
    }

    /// The bytes of the name.
    var bytes: [UInt8] {
        withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
}

import SystemPackage

/// The checkout that these tests are part of.
enum Repository {
    /// The folder with `Package.swift`.
    static let folder = FilePath(#filePath)
        .removingLastComponent().removingLastComponent().removingLastComponent()

    /// The script that makes and boots containers.
    static let containerScript = folder.appending("script/container")
}

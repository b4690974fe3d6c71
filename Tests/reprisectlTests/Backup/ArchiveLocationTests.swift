import Testing

@testable import reprisectl

/// Location of an archive, according to its path.
@Suite struct ArchiveLocationTests {
    @Test(arguments: [
        ("data.archive", ".", "data.archive", ArchiveLocation.Kind.archive),
        ("/a/data.archive", "/a", "data.archive", .archive),
        ("quarantine/data.archive", "quarantine", "data.archive", .archive),
        ("quarantine/a", "quarantine", "a", .quarantined),
        ("/s/quarantine/a", "/s/quarantine", "a", .quarantined),
        ("/myquarantine/a", "/myquarantine", "a", .other),
        ("/s/quarantine/b/a", "/s/quarantine/b", "a", .other), ("/a", "/", "a", .other),
        ("a", ".", "a", .other), ("history/000001.archive", "history", "000001.archive", .other),
    ])
    func `the directory, name and kind of an archive are derived from its path`(
        path: String, directory: String, name: String, kind: ArchiveLocation.Kind
    ) {
        let location = ArchiveLocation(path)
        #expect(location.directory == directory)
        #expect(location.name == name)
        #expect(location.kind == kind)
    }
}

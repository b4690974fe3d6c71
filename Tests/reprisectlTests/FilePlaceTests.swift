import Testing

@testable import reprisectl

/// Location of an archive, according to its path.
@Suite struct FilePlaceTests {
    @Test(arguments: [
        ("data.archive", ".", "data.archive", FilePlace.Kind.archive),
        ("/a/data.archive", "/a", "data.archive", .archive),
        ("quarantine/data.archive", "quarantine", "data.archive", .archive),
        ("quarantine/a", "quarantine", "a", .quarantined),
        ("/s/quarantine/a", "/s/quarantine", "a", .quarantined),
        ("/myquarantine/a", "/myquarantine", "a", .other),
        ("/s/quarantine/b/a", "/s/quarantine/b", "a", .other), ("/a", "/", "a", .other),
        ("a", ".", "a", .other), ("history/000001.archive", "history", "000001.archive", .other),
    ])
    func `a path tells the directory, the name and the kind of an archive`(
        path: String, folder: String, name: String, kind: FilePlace.Kind
    ) {
        let place = FilePlace(path)
        #expect(place.folder == folder)
        #expect(place.name == name)
        #expect(place.kind == kind)
    }
}

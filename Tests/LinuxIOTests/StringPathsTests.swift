import Glibc
import LinuxIO
import TestSupport
import Testing

struct StringPathsTests {
    @Test func `a resolved path has no symbolic links and may end in names that do not exist`()
        throws
    {
        try withScratchDirectory { path in
            let root = path.resolvedPath
            _ = try Directory.openOrCreate("\(path)/folder/inner")
            try #require(symlink("folder", "\(path)/link") == 0)
            #expect("\(path)/link/inner".resolvedPath == "\(root)/folder/inner")
            #expect("\(path)/link/../folder".resolvedPath == "\(root)/folder")
            #expect("\(path)/link/new/names".resolvedPath == "\(root)/folder/new/names")
            #expect("\(path)/link/new//names/".resolvedPath == "\(root)/folder/new/names")
            #expect("\(path)/link/inner/".resolvedPath == "\(root)/folder/inner")
        }
        #expect("/".resolvedPath == "/")
        #expect("/missing".resolvedPath == "/missing")
        #expect(".".resolvedPath.hasPrefix("/"))
        #expect("missing".resolvedPath == ".".resolvedPath.appendingPath("missing"))
    }

    @Test(
        arguments: [
            ("a", "."), ("/", "/"), ("/a", "/"), ("a/b", "a"), ("/a/b", "/a"), ("a/", "a"),
            ("", "."),
        ])
    func `the directory that contains a path is found`(path: String, directory: String) {
        #expect(path.containingDirectory == directory)
    }

    @Test(arguments: [("a", "a/b"), ("a/", "a/b"), ("/", "/b"), ("", "/b")])
    func `a name is appended after exactly one slash`(path: String, joined: String) {
        #expect(path.appendingPath("b") == joined)
    }
}

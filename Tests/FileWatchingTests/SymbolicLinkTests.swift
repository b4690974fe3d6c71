import FileWatching
import SystemPackage
import Testing

/// Targets whose paths contain symbolic links.
@Suite struct SymbolicLinkTests {
    @Test(arguments: ["relative", "absolute"])
    func `a chain of links is followed to the file`(_ kind: String) async throws {
        try await Scratch.with { scratch in
            let base = kind == "relative" ? ".." : scratch.directory.string
            try scratch.run("mkdir a b c; echo > c/real; echo > c/other")
            try scratch.makeLink("b/second", to: "\(base)/c/real")
            try scratch.makeLink("a/first", to: "\(base)/b/second")
            let watch = try Watch(scratch, file: "a/first")
            try await watch.expect(.written) { try scratch.write("2", to: "c/real") }
            try await watch.expect(.replaced) { try scratch.replace("c/real", with: "3") }
            try await watch.expect([]) { try scratch.write("2", to: "c/other") }
            let turned = try await watch.changes {
                try scratch.turnLink("b/second", to: "\(base)/c/other")
            }
            #expect(turned == .replaced)
            try await watch.expect([]) { try scratch.write("4", to: "c/real") }
            try await watch.expect(.written) { try scratch.write("4", to: "c/other") }
            try await watch.expect(.removed) { try scratch.remove("c/other") }
            try await watch.expect([.created, .written]) { try scratch.write("5", to: "c/other") }
            try await watch.expect(.removed) { try scratch.remove("b/second") }
            let creation = try await watch.changes {
                try scratch.makeLink("b/second", to: "../c/real")
            }
            #expect(creation == .created)
        }
    }

    @Test func `a link redirected to the same file by another path is not a change`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("mkdir a; echo > a/real; ln -s a/real link")
            let watch = try Watch(scratch, file: "link")
            try await watch.expect([]) { try scratch.turnLink("link", to: "./a/real") }
            try await watch.expect([]) {
                try scratch.run("ln -sfn ../$(basename $PWD)/a/real link")
            }
            try await watch.expect(.written) { try scratch.write("2", to: "a/real") }
        }
    }

    @Test func `replacing a linked directory as Kubernetes does is reported`()
        async throws
    {
        try await Scratch.with { scratch in
            try scratch.run(
                """
                mkdir ..1 ..2; echo 1 > ..1/reprised.yaml; echo 2 > ..2/reprised.yaml
                ln -s ..1 ..data; ln -s ..data/reprised.yaml reprised.yaml
                """)
            let watch = try Watch(
                scratch,
                [
                    .file(scratch.path("reprised.yaml")),
                    .directory(scratch.directory, suffix: ".yaml"),
                ])
            for round in 2...5 {
                let reportedEvents = try await watch.reportedEvents {
                    try scratch.run(
                        "ln -s ..\(round) ..data_tmp; mv -T ..data_tmp ..data; rm -r ..\(round - 1)"
                    )
                    try scratch.run("mkdir ..\(round + 1); echo > ..\(round + 1)/reprised.yaml")
                }
                #expect(reportedEvents.count == 2)
                #expect(
                    reportedEvents.values.allSatisfy {
                        !$0.changes.isDisjoint(with: [.replaced, .created])
                    })
            }
        }
    }

    @Test func `a link to a missing file is followed when the file is created`() async throws {
        try await Scratch.with { scratch in
            try scratch.makeLink("link", to: "a/b/real")
            let watch = try Watch(scratch, file: "link")
            let changes = try await watch.changes {
                try scratch.run("mkdir -p a/b; echo > a/b/real")
            }
            #expect(changes.contains(.created))
            try await watch.expect(.removed) { try scratch.run("rm -r a") }
        }
    }

    @Test func `a loop of links has no target until it is broken`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("ln -s two one; ln -s one two; echo > real")
            let watch = try Watch(scratch, file: "one")
            try await watch.expect(.created) { try scratch.turnLink("two", to: "real") }
            try await watch.expect(.removed) { try scratch.turnLink("two", to: "two") }
        }
    }

    @Test func `at most 40 links are followed, like in the kernel`() async throws {
        try await Scratch.with { scratch in
            try scratch.run("echo > 0; for i in $(seq 41); do ln -s $((i - 1)) $i; done")
            try scratch.run("cat 40 > /dev/null; ! cat 41 2> /dev/null")
            let watch = try Watch(
                scratch, [.file(scratch.path("40")), .file(scratch.path("41"))])
            let reportedEvents = try await watch.reportedEvents { try scratch.write("", to: "0") }
            #expect(reportedEvents.mapValues(\.changes) == [.file(scratch.path("40")): .written])
        }
    }
}

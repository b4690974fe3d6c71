import Testing

@testable import Reprise

/// Configuration in the form that `reprised --print-config` prints.
@Suite struct ConfigurationTextTests {
    private func load(_ texts: [String: String]) throws -> LoadedConfiguration {
        try LoadedConfiguration.load(
            option: "/c/reprised.yaml", environment: [:],
            fileReader: MemoryConfigurationFileReader(texts))
    }

    @Test(
        arguments: [
            ("", #""""#), ("a", #""a""#), (#"a"\b"#, #""a\"\\b""#), ("ä🌍", #""ä🌍""#),
            ("\u{85}", #""\u0085""#), ("\u{200B}", #""\u200B""#),
            ("\u{E0001}", #""\U000E0001""#),
        ])
    func `text is quoted, and characters that a terminal does not show are escaped`(
        text: String, yaml: String
    ) {
        #expect(YAMLFormatter.text(text) == yaml)
    }

    @Test func `lists, optional numbers and Booleans are written in configuration syntax`() {
        #expect(YAMLFormatter.text([String]()) == "[]")
        #expect(YAMLFormatter.text(["a", "b"]) == #"["a", "b"]"#)
        #expect(YAMLFormatter.text(Int?.none as Any) == "null")
        #expect(YAMLFormatter.text(Int?.some(3) as Any) == "3")
        #expect(YAMLFormatter.text(true) == "true")
    }

    @Test func `each key is printed once, with its origin`() throws {
        let loaded = try load([
            "/c/reprised.yaml": """
            applications:
              - { bundleIdentifier: org.example.A, scenes: [main, other] }
              - bundleIdentifier: org.example.B
            """,
            "/c/reprised.d/10-more.yaml": "preservation: { interval: 7s }\n",
        ])
        let lines = ConfigurationText(loaded).description.split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == ["# /c/reprised.yaml", "# /c/reprised.d/10-more.yaml"])
        #expect(lines.count { $0.hasPrefix("  - bundleIdentifier: ") } == 2)
        #expect(
            lines.contains { $0.hasPrefix(#"    scenes: ["main", "other"]  # /c/reprised.yaml:2"#) }
        )
        #expect(lines.contains { $0.hasPrefix("    scenes: ") && $0.hasSuffix("  # default") })
        let keys = ConfigurationKey.all.filter { $0.section != "cluster" }
        for key in keys {
            let name = key.name.dropFirst(key.section.count + 1)
            #expect(lines.contains { $0.hasPrefix("  \(name): ") }, "\(key.name)")
            #expect(lines.contains("\(key.section):"), "\(key.section)")
        }
        #expect(lines.contains("cluster: null  # default"))
        #expect(
            lines.contains {
                $0.hasPrefix("  interval: 7s  # /c/reprised.d/10-more.yaml:1")
            })
        #expect(lines.count { $0.hasPrefix("  ") && !$0.hasPrefix("    ") } == keys.count + 2)
    }

    #if Etcd
        @Test func `the values of a cluster are printed if the cluster has endpoints`() throws {
            let loaded = try load([
                "/c/reprised.yaml": """
                applications: [{ bundleIdentifier: org.example.A }]
                cluster: { endpoints: ["http://10.0.0.1:2379"], lease: 9s }
                """
            ])
            let lines = ConfigurationText(loaded).description.split(separator: "\n")
            #expect(lines.contains("cluster:"))
            let endpoints = #"  endpoints: ["http://10.0.0.1:2379"]  # /c/reprised.yaml:2:"#
            #expect(lines.contains { $0.hasPrefix(endpoints) })
            #expect(lines.contains { $0.hasPrefix("  lease: 9s  # /c/reprised.yaml:2:") })
            #expect(lines.contains("  host: null  # default"))
        }
    #endif
}
